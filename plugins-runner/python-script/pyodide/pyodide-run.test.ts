// test-timeout: 300
import * as assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { test } from "uvu";
import type { OutputType } from "../../../core/contract/index.ts";
import { inFull } from "../../../core/testing/extent.test-support.ts";
import { pythonScript } from "../index.ts";
import { PythonPack, usePyodide } from "../python-pack.test-support.ts";

// What only this engine can be asked: that nothing gets out of it, and that it ends. `pyodide-faults.test.ts` has what breaks it.
const pack = new PythonPack(test);
const runner = usePyodide(test, pythonScript({ engine: "pyodide", pyodide: { memory_limit: 128, warm_workers: 0 } }));

/** What `run` with this body returned. */
async function resultOf(name: string, body: string): Promise<unknown> {
	const { result } = await runner.run(pack.body(name, body));
	assert.equal(result["exit_code"], 0, JSON.stringify(result));
	return result["result"];
}

/** Expressions that one action evaluates, since each action starts an interpreter. */
const expressions = {
	files: [
		"open('data/file.txt').read()",
		"os.getcwd()",
		"sorted(os.listdir('/'))",
		"open('/etc/passwd').read()",
		"os.listdir('outside')",
		"open('data/file.txt', 'a')",
		"open('data/new.txt', 'w')",
		"os.remove('data/file.txt')",
		"os.chmod('data/file.txt', 0)",
		"open(module, 'a')",
		"os.remove(module)",
		"dict(os.environ)",
	],
	javascript: [
		"__import__('js').process.exit(0)",
		"__import__('js').eval('1')",
		"__import__('pyodide_js').loadPackage.constructor('return globalThis')()",
		"mount()",
	],
	abilities: [
		"sys.stdin.read()",
		"__import__('subprocess').run(['true'])",
		"os.system('true')",
		"asyncio.run(later())",
		"__import__('no_such_module')",
	],
};

/** Body of `run`: what an earlier run left, and a random number. Leaves something for a later one. */
const leaves = `
import builtins, random, tempfile
seen = [getattr(builtins, 'left', None), os.path.exists('/tmp/left'), os.environ.get('LEFT')]
builtins.left = os.environ['LEFT'] = 'here'
open('/tmp/left', 'w').close()
left = [seen, random.random()]`;

/** An action that returns for each name the values of its expressions, or the names and texts of what they raised. */
function toAttempts(module: string): string {
	return `${leaves}
os.environ.pop('LEFT')
import asyncio
module = ${JSON.stringify(module)}
async def later():
    await asyncio.sleep(0.01)
    return 'later'
def mount():
    import js, pyodide_js
    files = pyodide_js.FS
    files.mkdirTree('/host')
    files.mount(files.filesystems.NODEFS, js.JSON.parse('{"root": "/etc"}'), '/host')
    return os.listdir('/host')
def attempt(call):
    try: return call()
    except BaseException as error: return type(error).__name__ + ': ' + str(error)[:60]
return {'left': left, ${Object.entries(expressions)
		.map(([name, texts]) => `${JSON.stringify(name)}: [${texts.map((text) => `attempt(lambda: ${text})`).join(", ")}]`)
		.join(", ")}}`;
}

interface Attempts extends Readonly<Record<keyof typeof expressions, readonly string[]>> {
	readonly left: readonly [unknown, number];
}

let attempted: Promise<Attempts> | undefined;

/** What the expressions of this name gave. */
async function attempt<K extends keyof Attempts>(name: K): Promise<Attempts[K]> {
	attempted ??= (async () => {
		pack.write("data/file.txt", "content");
		symlinkSync("/etc", join(pack.directory, "outside"));
		const module = join(runner.modules, "module.py");
		writeFileSync(module, "");
		return (await resultOf("attempts", toAttempts(module))) as Attempts;
	})();
	return (await attempted)[name];
}

test("a run sees nothing of an earlier one, and draws other numbers", async () => {
	const [, number] = (await resultOf("leaves", `${leaves}\nreturn left`)) as [unknown, number];
	const [seen, other] = await attempt("left");
	assert.deepEqual(seen, [null, false, null]);
	assert.notEqual(other, number);
});

test("of the machine's files only the pack's, and modules for packs, are there, to be read", async () => {
	const seen = await attempt("files");
	const refused = /Read-only file system/;
	assert.deepEqual(seen.slice(0, 2), ["content", pack.directory]);
	assert.deepEqual(seen[2], ["dev", "home", "lib", "proc", "tmp"]);
	assert.match(String(seen[3]), /FileNotFoundError/);
	assert.match(String(seen[4]), /Error/);
	for (const text of seen.slice(5, 11)) assert.match(text, refused);
	assert.deepEqual(seen[11], {});
});

test("JavaScript leads neither to Node nor to other files", async () => {
	const seen = await attempt("javascript");
	assert.match(seen[0] ?? "", /^AttributeError: exit/);
	assert.match(seen[1] ?? "", /EvalError/);
	assert.match(seen[2] ?? "", /EvalError/);
	assert.equal(typeof seen[3], "string");
	assert.match(seen[3] ?? "", /^(JsException|Error)/);
});

test("one that loops for ever is ended", async () => {
	const run = runner.context(pack.body("loops", "print('begun')\nwhile True: pass"));
	const end = runner.run(run);
	await run.waitFor("stdout", "begun\n");
	run.abort("cancel");
	const { succeeded, result } = await end;
	assert.equal(succeeded, false);
	// Where the machine is busy it may be killed.
	assert.ok([-15, -9].includes(Number(result["exit_code"])), String(result["exit_code"]));
});

test("one that is aborted before it begins is not run", async () => {
	const run = runner.context(pack.body("never", "return 1"));
	run.abort("cancel");
	const { succeeded, result } = await runner.run(run);
	assert.deepEqual([succeeded, result["exit_code"]], [false, -15]);
});

inFull(test)("much output waits for who takes it, and arrives whole", async () => {
	let pending = 0;
	let mostPending = 0;
	const onEmit = async (_type: OutputType) => {
		mostPending = Math.max(mostPending, ++pending);
		await setImmediate();
		pending--;
	};
	const body = "for i in range(40000): print('x' * 99)\nprint('y' * 20000000)\nreturn 1";
	const { succeeded, result, run } = await runner.run({ ...pack.body("output", body), onEmit });
	assert.equal(succeeded, true);
	assert.deepEqual([mostPending, pending], [1, 0]);
	assert.equal(
		run.chunks.reduce((sum, { data }) => sum + data.length, 0),
		24_000_001,
	);
	assert.equal(result["result"], 1);
});

test("input is at its end, programs cannot be started, coroutines can be awaited", async () => {
	const [input, program, system, later, module] = await attempt("abilities");
	assert.equal(input, "");
	assert.match(program ?? "", /^OSError/);
	assert.match(system ?? "", /^OSError: .*programs cannot be started/);
	assert.equal(later, "later");
	assert.match(module ?? "", /^ModuleNotFoundError: No module named 'no_such_module'/);
});

test.run();
