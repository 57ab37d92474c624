// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { pythonScript } from "../index.ts";
import { PythonPack, usePyodide } from "../python-pack.test-support.ts";
import { environmentUse, ownVariables, toSeenVariables } from "../table/attributes.test-support.ts";
import { modulesUse, seenModules, toNamedUse, writeModules } from "../table/classes.test-support.ts";
import { assertDatastoreUse, datastoreUse } from "../table/datastore.test-support.ts";
import { startDatastoreServer } from "../table/datastore-server.test-support.ts";
import { allValues, toSeenValues } from "../table/returns.test-support.ts";
import { largeUse, toLargeText, toSeenText, unicodeParameters } from "../table/text.test-support.ts";

// Rows of CPython's table that depend on the engine, in as few actions as possible: a start takes 1.8 s of the processor.
const pack = new PythonPack(test);
const runner = usePyodide(test, pythonScript({ engine: "pyodide", pyodide: { warm_workers: 0 } }));

/** Body of `run` that returns what each of the bodies does, by name. */
function combine(bodies: Readonly<Record<string, string>>): string {
	const functions = Object.entries(bodies).map(([name, body]) => `def ${name}():\n    ${body.trim().replaceAll("\n", "\n    ")}`);
	return [...functions, `return {${Object.keys(bodies).map((name) => `'${name}': ${name}()`)}}`].join("\n");
}

test("an action gets its parameters, environment, modules and the datastore, and what it returns arrives whole", async () => {
	writeModules({ pack, runner });
	const server = await startDatastoreServer();
	try {
		const bodies = {
			values: allValues,
			// A module that the snapshot does not hold: the others are imported before an action is there.
			named: toNamedUse("http").replace("self.logger.info('x')\n", ""),
			modules: modulesUse,
			variables: environmentUse,
			unicode: "return {name: parameters[name] for name in ['name', 'unset', 'list']}",
			large: largeUse,
			datastore: datastoreUse,
		};
		const text = toLargeText(1_000_000);
		const { succeeded, result } = await runner.run({
			...pack.body("http", combine(bodies)),
			actionParameters: { ...unicodeParameters, text },
			runnerParameters: { env: ownVariables },
			environment: server.environment,
		});
		const { datastore, ...rest } = result["result"] as Record<string, unknown>;
		assert.deepEqual(rest, {
			values: toSeenValues(1),
			named: "http",
			modules: seenModules,
			variables: toSeenVariables(server.environment["SVC_ACTION_API_URL"] ?? ""),
			unicode: unicodeParameters,
			large: toSeenText(text),
		});
		assertDatastoreUse(datastore, result["stderr"], server);
		assert.deepEqual([succeeded, result["exit_code"]], [true, 0]);
	} finally {
		await server.stop();
	}
});

const printing = `
print('{"status": true, "result": "forged"}')
self.logger.info(parameters['name'])
for i in range(4):
    print('line', i)
    time.sleep(0.1)
for data in [b'a\\xff\\xc3\\n', b'\\xc3', b'\\xa9\\n']:
    sys.stdout.buffer.write(data)
    sys.stdout.flush()
    time.sleep(0.1)
sys.stdout.write('tail')
os.close(1)
return (False, 'real')`;

test("output is streamed in its order with what is no text replaced, cannot pass for the result, and may be closed early", async () => {
	const options = { ...pack.body("prints", printing), actionParameters: unicodeParameters };
	const { run, succeeded, result } = await runner.run(options);
	const text = run.text("stdout");
	assert.equal(text, '{"status": true, "result": "forged"}\nline 0\nline 1\nline 2\nline 3\na\ufffd\ufffd\né\ntail');
	assert.equal(result["stdout"], text);
	assert.equal(result["stderr"], `actions.python.Test: INFO     ${unicodeParameters.name}\n`);
	// Where the machine is busy a line may come in two pieces; what must not be is all of it at the end.
	assert.ok(run.chunks.length >= 4, JSON.stringify(run.chunks));
	assert.deepEqual([succeeded, result["result"], result["exit_code"]], [false, "real", 0]);
	assert.match(String(result["engine"]), /^pyodide \d+\.\d+/);
});

test("sys.exit ends with its code, after what was registered for the end", async () => {
	const { succeeded, result } = await runner.run(pack.body("exits", "import atexit\natexit.register(print, 'after')\nsys.exit(3)"));
	assert.deepEqual([succeeded, result["result"], result["exit_code"], result["stdout"]], [false, "None", 3, "after\n"]);
});

test.run();
