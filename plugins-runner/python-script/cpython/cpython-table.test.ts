import { test } from "uvu";
import { testEngine } from "../engine-table.test-support.ts";
import { pythonScript } from "../index.ts";
import { withPython } from "../python-pack.test-support.ts";

testEngine(withPython(test), "cpython", pythonScript({ engine: "cpython" }));

test.run();
