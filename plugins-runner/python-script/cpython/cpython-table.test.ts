import { test as everyTest } from "uvu";
import { pythonScript } from "../index.ts";
import { PythonPack, useRunner, withPython } from "../python-pack.test-support.ts";
import { checkAttributes } from "../table/attributes.test-support.ts";
import type { Check } from "../table/check.test-support.ts";
import { checkClasses, checkModules } from "../table/classes.test-support.ts";
import { checkDatastore } from "../table/datastore.test-support.ts";
import { checkReturns } from "../table/returns.test-support.ts";
import { checkText } from "../table/text.test-support.ts";

// What the runner does with an action and its result. `pyodide-table.test.ts` has what of it depends on the engine.
const test = withPython(everyTest);
const scope = { pack: new PythonPack(test), runner: useRunner(test, pythonScript({ engine: "cpython" })) };
const check: Check = (statement, run) => test(statement, () => run(scope));
checkReturns(check);
checkClasses(check);
checkModules(check);
checkText(check);
checkAttributes(check);
checkDatastore(check, test);

everyTest.run();
