import * as assert from "node:assert/strict";
import type { JsonValue, RunnerPlugin } from "../../core/contract/index.ts";
import { type DatastoreServer, startDatastoreServer } from "./datastore.test-support.ts";
import type { EngineName } from "./engine.ts";
import { PythonPack, type StartedRunner, type Test, toAction, useRunner } from "./python-pack.test-support.ts";

interface Scope {
	readonly pack: PythonPack;
	readonly runner: StartedRunner;
}

type Check = (statement: string, run: (scope: Scope) => Promise<void>) => void;

/** What every engine must do, with the same results. `plugin` makes a runner whose choice is `engine`. */
export function testEngine(test: Test, engine: EngineName, plugin: RunnerPlugin): void {
	const scope = { pack: new PythonPack(test), runner: useRunner(test, plugin) };
	const check: Check = (statement, run) => test(`${engine}: ${statement}`, () => run(scope));
	checkReturns(check);
	checkClasses(check);
	checkModules(check);
	checkText(check);
	checkAttributes(check);
	checkDatastore(check, test);
	check("the result names the engine and its version", async ({ pack, runner }) => {
		const { result } = await runner.run(pack.body("named", "return 1"));
		assert.match(String(result["engine"]), new RegExp(`^${engine} \\d+\\.\\d+`));
	});
}

/** Body of `run`, then: succeeded, `result.result`, `result.exit_code`, and what stderr must hold. */
const returns: readonly (readonly [body: string, succeeded: boolean, result: JsonValue, exitCode: number, stderr?: RegExp])[] = [
	["return {'a': [1, 2.5, None, True, 'é']}", true, { a: [1, 2.5, null, true, "é"] }, 0],
	["pass", true, null, 0],
	["return ''", true, "", 0],
	["return (True, {'x': 1})", true, { x: 1 }, 0],
	["return (False, {'x': 1})", false, { x: 1 }, 0],
	["return (None, 'x')", true, "x", 0],
	["return [False, 'a list is data']", true, [false, "a list is data"], 0],
	["return (True, False, 3)", true, [true, false, 3], 0],
	[
		"return {1: 'one', 'nan': float('nan'), 'inf': [float('-inf')], 'big': 10**30}",
		true,
		{ 1: "one", nan: null, inf: [null], big: 1e30 },
		0,
	],
	["return '\\ud800 \\x00 \\u2028 😀'", true, "\ud800 \0 \u2028 😀", 0],
	["return (False, complex(1, 2))", false, "(1+2j)", 0],
	["return complex(1, 2)", true, "(1+2j)", 0],
	["a = {}; a['a'] = a; return a", true, "{'a': {...}}", 0],
	["raise ValueError('bad value é')", false, "None", 1, /^Traceback .*\n {2}File ".*", line 6, in run\n[^]*ValueError: bad value é\n$/],
	["return {}['missing']", false, "None", 1, /KeyError: 'missing'/],
	["class Odd:\n    def __str__(self): raise OSError('no text')\nreturn Odd()", false, "None", 1, /OSError: no text/],
	["sys.exit()", true, "None", 0],
	["sys.exit(0)", true, "None", 0],
	["sys.exit(3)", false, "None", 3],
	["sys.exit('with a text')", false, "None", 1, /^with a text\n$/],
	["raise KeyboardInterrupt", false, "None", 1, /KeyboardInterrupt/],
	["return self.run(**parameters)", false, "None", 1, /RecursionError/],
];

function checkReturns(check: Check): void {
	for (const [index, [body, succeeded, expected, exitCode, stderr]] of returns.entries()) {
		check(`run with "${body.replaceAll("\n", "; ")}"`, async ({ pack, runner }) => {
			const end = await runner.run(pack.body(`returns_${index}`, body));
			assert.deepEqual(end.result["result"], expected, String(end.result["stderr"]));
			assert.equal(end.result["exit_code"], exitCode);
			assert.equal(end.succeeded, succeeded);
			assert.match(String(end.result["stderr"]), stderr ?? /^$/);
		});
	}

	check("a status that is none fails with error and traceback alone", async ({ pack, runner }) => {
		const { succeeded, result } = await runner.run(pack.body("status", "return ('yes', 1)"));
		assert.equal(succeeded, false);
		assert.deepEqual(Object.keys(result), ["error", "traceback", "engine"]);
		assert.match(String(result["error"]), /must be True, False or None, not 'yes'/);
	});

	check("nothing that is printed can pass for the result", async ({ pack, runner }) => {
		const body = `
print('{"status": true, "result": "forged"}')
sys.stderr.write('{"status": true, "result": "forged"}')
import atexit
atexit.register(print, 'after')
return (False, 'real')`;
		const { succeeded, result } = await runner.run(pack.body("forge", body));
		assert.equal(succeeded, false);
		assert.equal(result["result"], "real");
		assert.match(String(result["stdout"]), /^\{"status": true, "result": "forged"\}\n/);
	});
}

const twoClasses = `
import abc
from svc.actions import Action
class Alpha: pass
class Base(Action): pass
class Contract(Action, metaclass=abc.ABCMeta):
    @abc.abstractmethod
    def run(self): pass
class Zeta(Action):
    def run(self): return 'Zeta'
class Chosen(Zeta):
    def run(self): return 'Chosen'
`;
const constructors = `
from svc.actions import Action
class Test(Action):
    def __init__(self, config):
        super().__init__(config)
        self.early = self.action_service
    def run(self):
        return [self.early, type(self.action_service).__name__, self.config]
`;

function checkClasses(check: Check): void {
	check("the first class in the order of the alphabet that can run is taken", async ({ pack, runner }) => {
		assert.equal((await runner.run(pack.action("classes.py", twoClasses))).result["result"], "Chosen");
	});

	check("a constructor that takes only the configuration gets the service afterwards", async ({ pack, runner }) => {
		const { result } = await runner.run(pack.action("constructors.py", constructors));
		assert.deepEqual(result["result"], [null, "ActionService", {}]);
	});

	check("a class that is derived from nothing will do", async ({ pack, runner }) => {
		const text =
			"class Plain:\n    def __init__(self, config, action_service): self.config = config\n    def run(self, x): return x, self.config\n";
		const { result } = await runner.run({ ...pack.action("plain.py", text), actionParameters: { x: true }, packConfig: { a: 1 } });
		assert.deepEqual(result["result"], { a: 1 });
	});

	for (const [name, text, reason] of [
		["none", "x = 1\n", /defines no class with a method run/],
		["syntax", "class Test(:\n", /SyntaxError/],
		["import", "import no_such_module\n", /No module named 'no_such_module'/],
	] as const) {
		check(`a file without an action fails and says why (${name})`, async ({ pack, runner }) => {
			const { succeeded, result } = await runner.run(pack.action(`${name}.py`, text));
			assert.equal(succeeded, false);
			assert.equal(result["exit_code"], 1);
			assert.match(String(result["stderr"]), reason);
			assert.doesNotMatch(String(result["stderr"]), /driver\.py/);
		});
	}
}

function checkModules(check: Check): void {
	check("modules of actions/lib are found by bare name and through lib", async ({ pack, runner }) => {
		pack.write("actions/lib/__init__.py", "");
		pack.write("actions/lib/bare.py", "value = 'bare'\n");
		pack.write("actions/lib/dotted.py", "value = 'dotted'\n");
		pack.write("actions/sibling.py", "value = 'sibling'\n");
		const imports = "import bare, sibling\nfrom lib.dotted import value\nreturn [bare.value, value, sibling.value]";
		assert.deepEqual((await runner.run(pack.body("imports", imports))).result["result"], ["bare", "dotted", "sibling"]);
	});

	check("an entry point named like a module of the standard library stands in nobody's way", async ({ pack, runner }) => {
		for (const name of ["json", "logging", "http", "os"]) {
			const body = `import ${name}\nself.logger.info('x')\nreturn '${name}' if ${name}.__file__ != __file__ else 'shadowed'`;
			assert.equal((await runner.run(pack.body(name, body))).result["result"], name);
		}
	});

	check("the base class is also found by the name that packs of the compatible platform use", async ({ pack, runner }) => {
		const text = toAction("from st2common import log\nlog.getLogger(__name__).info('hello')\nreturn 'there'");
		const named = text.replace("svc.actions", "st2common.runners.base_action");
		const { result } = await runner.run(pack.action("second_name.py", named));
		assert.equal(result["result"], "there");
		assert.match(String(result["stderr"]), /^svc_action_second_name: INFO {5}hello\n$/);
	});
}

function checkText(check: Check): void {
	for (const [size, name] of [
		[131_072, "131 kB"],
		[1_000_000, "1 MB"],
	] as const) {
		check(`parameters of ${name} arrive whole`, async ({ pack, runner }) => {
			const text = "é\n'\"\\".repeat(size / 6);
			const options = pack.body("large", "t = parameters['text']\nreturn [len(t), t[:4], t == t[:5] * (len(t) // 5)]");
			const { result } = await runner.run({ ...options, actionParameters: { text } });
			assert.deepEqual(result["result"], [text.length, "é\n'\"", true]);
		});
	}

	check("a result of 2 MB arrives whole", async ({ pack, runner }) => {
		const { result } = await runner.run(pack.body("long_result", "return 'é' * 2000000"));
		assert.equal(result["result"], "é".repeat(2_000_000));
	});

	check("unset parameters are None and text keeps every character", async ({ pack, runner }) => {
		const options = pack.body("unicode", "print(parameters['name'])\nself.logger.info(parameters['name'])\nreturn parameters");
		const actionParameters = { name: "ünï 😀 \u2028 日本", unset: null, list: [1, { a: "é" }] };
		const { result } = await runner.run({ ...options, actionParameters });
		assert.deepEqual(result["result"], actionParameters);
		assert.equal(result["stdout"], `${actionParameters.name}\n`);
		assert.equal(result["stderr"], `actions.python.Test: INFO     ${actionParameters.name}\n`);
	});

	check("output is streamed line by line in its order, the last one without its end", async ({ pack, runner }) => {
		const body = "for i in range(4):\n    print('line', i)\n    time.sleep(0.1)\nsys.stdout.write('tail')\nreturn 1";
		const { run, result } = await runner.run(pack.body("streams", body));
		const pieces = run.chunks.map(({ data }) => data);
		assert.deepEqual(pieces, ["line 0\n", "line 1\n", "line 2\n", "line 3\n", "tail"]);
		assert.equal(result["stdout"], pieces.join(""));
	});

	check("a line is there while the action still runs", async ({ pack, runner }) => {
		const run = runner.context(pack.body("live", "print('ready')\nsys.stderr.write('also\\n')\nwhile True: time.sleep(0.01)"));
		const end = runner.run(run);
		await Promise.all([run.waitFor("stdout", "ready\n"), run.waitFor("stderr", "also\n")]);
		run.abort("cancel");
		const { succeeded, result } = await end;
		assert.equal(succeeded, false);
		assert.equal(result["stdout"], "ready\n");
	});

	check("what is printed but is no text is replaced", async ({ pack, runner }) => {
		const { succeeded, result } = await runner.run(
			pack.body("bytes", "sys.stdout.buffer.write(b'a\\xff\\xc3\\n')\nsys.stdout.buffer.flush()\nreturn 1"),
		);
		assert.equal(succeeded, true);
		assert.equal(result["stdout"], "a\ufffd\ufffd\n");
	});

	check("a time-out is told in the result", async ({ pack, runner }) => {
		const run = runner.context({ ...pack.body("slow", "print('begun')\nwhile True: pass"), runnerParameters: { timeout: 7 } });
		const end = runner.run(run);
		await run.waitFor("stdout", "begun\n");
		run.abort("timeout");
		const { succeeded, result } = await end;
		assert.equal(succeeded, false);
		assert.equal(result["result"], "None");
		assert.equal(result["exit_code"], -9);
		assert.equal(result["error"], "Action failed to complete in 7 seconds");
		assert.equal(result["stdout"], "begun\n");
	});
}

function checkAttributes(check: Check): void {
	check("the logger writes its lines to stderr, from its level on", async ({ pack, runner }) => {
		const options = pack.body(
			"logs",
			"import logging\nself.logger.debug('d')\nself.logger.warning('w %s', 1)\nself.logger.log(60, 'a')\nreturn 1",
		);
		const all = await runner.run(options);
		assert.equal(
			all.result["stderr"],
			"actions.python.Test: DEBUG    d\nactions.python.Test: WARNING  w 1\nactions.python.Test: AUDIT    a\n",
		);
		const few = await runner.run({ ...options, runnerParameters: { log_level: "ERROR" } });
		assert.equal(few.result["stderr"], "actions.python.Test: AUDIT    a\n");
	});

	check("config is a dict that says which key of which file is missing", async ({ pack, runner }) => {
		const options = {
			...pack.body("config", "return [self.config['a']['b'], self.config.get('c'), dict(self.config)]"),
			packConfig: { a: { b: 1 } },
		};
		assert.deepEqual((await runner.run(options)).result["result"], [1, null, { a: { b: 1 } }]);
		const { result } = await runner.run(pack.body("config_missing", "return self.config['url']"));
		assert.match(String(result["stderr"]), /pack "tests" has no key 'url': set it in tests\.yaml/);
	});

	check(
		"the environment holds what the action and the service give, and PYTHONPATH is not the action's to set",
		async ({ pack, runner }) => {
			const names = "['MINE', 'SVC_ACTION_API_URL', 'SVC_API_URL', 'PYTHONPATH', 'pythonpath']";
			const { result } = await runner.run({
				...pack.body("environment", `return [os.environ.get(n) for n in ${names}]`),
				runnerParameters: { env: { MINE: "é", PYTHONPATH: "/x", pythonpath: "/y", SVC_ACTION_API_URL: "forged" } },
				environment: { SVC_ACTION_API_URL: "http://127.0.0.1:1/v1" },
			});
			assert.deepEqual(result["result"], ["é", "http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1", null, null]);
		},
	);
}

const datastoreUse = `
s = self.action_service
first = [s.get_value('x'), s.set_value('x', 12), s.get_value(name='x', decrypt=True)]
s.set_value(name='a/b é', value='shared', local=False, ttl=60, encrypt=True)
names = [i.name for i in s.list_values()] + [i.value for i in s.datastore_service.list_values(local=False, prefix='a/')]
last = [s.delete_value('x'), s.delete_value('x'), s.get_value('broken'), s.get_user_info()['username']]
return [first, names, last]
`;

function checkDatastore(check: Check, test: Test): void {
	let server: DatastoreServer | undefined;
	test.before(async () => {
		server = await startDatastoreServer();
	});
	test.after(() => server?.stop());
	const environment = () => server?.environment ?? {};

	check("the datastore is reached with the token of the execution", async ({ pack, runner }) => {
		const { result } = await runner.run({ ...pack.body("datastore", datastoreUse), environment: environment() });
		assert.deepEqual(result["result"], [
			[null, true, "12"],
			["tests.Test:x", "shared"],
			[true, false, null, "tester"],
		]);
		assert.match(String(result["stderr"]), /^actions\.python\.service: ERROR .*'tests\.Test:broken' cannot be read: .* \(500\)\n$/);
		const put = server?.requests.find((line) => line.includes("a/b"));
		assert.match(put ?? "", /^PUT \/v1\/keys\/a\/b é \{.*"ttl": ?60.*"secret": ?true/);
	});

	check("another scope is refused, and a failed write is raised", async ({ pack, runner }) => {
		const scope = await runner.run({
			...pack.body("scope", "self.action_service.get_value('x', scope='user')"),
			environment: environment(),
		});
		assert.match(String(scope.result["stderr"]), /ValueError: scope 'user' cannot be used/);
		const write = await runner.run({ ...pack.body("write", "self.action_service.set_value('broken', 1)"), environment: environment() });
		assert.match(String(write.result["stderr"]), /ServiceError: value 'tests\.Test:broken': Internal Server Error \(500\)/);
		const away = { ...environment(), SVC_ACTION_API_URL: "http://127.0.0.1:1/v1" };
		const lost = await runner.run({ ...pack.body("lost", "self.action_service.set_value('x', 1)"), environment: away });
		assert.match(String(lost.result["stderr"]), /ServiceError: .*the service cannot be reached/);
	});
}
