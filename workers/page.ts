// Owns the thread entry that reads one page of the web: bytes in, text out. How is in page-text.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { TroupeError } from '../src/base/failures.ts';
import { type HtmlPage, htmlText } from '../src/tools/builtin/web/page-text.ts';

if (parentPort === null) throw new TroupeError('internal', 'workers/page is a thread entry');
// Its only starter is page-reader.ts.
parentPort.postMessage(htmlText(workerData as HtmlPage));
