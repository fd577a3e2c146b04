// Owns a small tree of real files, two levels deep, with one folder that is too much for one reader. For tests of roles.

/** Folder `lib` has six files in two folders, `docs` two. */
export const treeOfFiles = {
  'docs/guide.md': '# Guide\nHow bolts are turned.\n',
  'docs/faq.md': '# Questions\nWhy bolts.\n',
  'lib/core/bolt.ts': '// Owns the bolt.\nexport const bolt = 1;\n',
  'lib/core/nut.ts': '// Owns the nut.\nexport const nut = 2;\n',
  'lib/core/rod.ts': '// Owns the rod.\nexport const rod = 3;\n',
  'lib/tools/saw.ts': '// Owns the saw.\nexport const saw = 4;\n',
  'lib/tools/file.ts': '// Owns the file.\nexport const file = 5;\n',
  'lib/tools/vice.ts': '// Owns the vice.\nexport const vice = 6;\n',
  'node_modules/x/d.md': '# Not ours\n',
} as const;
