import { test } from "uvu";
import { testEngine } from "../engine-table.test-support.ts";
import { pythonScript } from "../index.ts";

testEngine(test, "cpython", pythonScript({ engine: "cpython" }));

test.run();
