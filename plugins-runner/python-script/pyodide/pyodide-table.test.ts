// test-timeout: 600
// test-suite: full
import { test } from "uvu";
import { testEngine } from "../engine-table.test-support.ts";
import { pythonScript } from "../index.ts";

testEngine(test, "pyodide", pythonScript({ engine: "pyodide", pyodide: { warm_workers: 0 } }));

test.run();
