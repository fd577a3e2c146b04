// Owns how a thread of the pool loads its entry: the pool requires this file, and this file imports the entry. A thread that is
// ended while it requires an ES module aborts the whole process (seen on Node 20, once in 2,000); an import is given up.
'use strict';
const { workerData } = require('node:worker_threads');

/** What the pool calls. Of a module of CommonJS, it is the default of what that exports. */
const slotOf = (module) => module.default?.default ?? module.default;

/** Thrown in the thread, it ends that, and the pool reports why. */
const fail = (error) =>
  new Promise(() => {
    process.nextTick(() => {
      throw error;
    });
  });

exports.slot = import(workerData.entry).then(slotOf, fail);
