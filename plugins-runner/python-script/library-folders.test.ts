import * as assert from "node:assert/strict";
import { test as everyTest } from "uvu";
import { pythonScript } from "./index.ts";
import { PythonPack, useRunner, withPython } from "./python-pack.test-support.ts";

const test = withPython(everyTest);
const pack = new PythonPack(test);
const without = useRunner(test, pythonScript({ engine: "cpython" }));
const withLibraries = useRunner(test, pythonScript({ engine: "cpython" }), { options: { content: { enable_common_libs: true } } });

const imports = "import shared\nfrom common.words import said\nreturn [shared.value, said]";

test("modules of the pack's folder lib are found where content.enable_common_libs is on, before those of actions/lib", async () => {
	pack.write("lib/shared.py", "value = 'lib'\n");
	pack.write("lib/common/__init__.py", "");
	pack.write("lib/common/words.py", "said = 'words'\n");
	pack.write("actions/lib/shared.py", "value = 'actions/lib'\n");
	const action = pack.body("shares", imports);
	assert.deepEqual((await withLibraries.run(action)).result["result"], ["lib", "words"]);
});

test("they are not found where it is off, as it is by default", async () => {
	const { result } = await without.run(pack.body("alone", "import shared\nreturn shared.value"));
	assert.equal(result["result"], "actions/lib");
	const failed = await without.run(pack.body("lacks", imports));
	assert.equal(failed.succeeded, false);
	assert.match(String(failed.result["stderr"]), /No module named 'common'/);
});

everyTest.run();
