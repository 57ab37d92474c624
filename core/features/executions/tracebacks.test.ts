// test-suite: full
import * as assert from "node:assert/strict";
import { realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "uvu";
import { localScript } from "../../../plugins-runner/local-script/index.ts";
import { type PythonScriptOptions, pythonScript } from "../../../plugins-runner/python-script/index.ts";
import { KeptSnapshot } from "../../../plugins-runner/python-script/pyodide/kept-snapshot.test-support.ts";
import { packageFile } from "../../service/version.ts";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";
import { requires } from "../../testing/test-requirements.ts";

const { test: pythonTest } = requires(test, { command: "python3" });

const python = (body: string) =>
	`from svc.actions import Action\nimport helper\n\nclass Broken(Action):\n    def run(self):\n        ${body}\n`;
const bodies = {
	raises: "helper.work()",
	status: "return ('yes', 1)",
	logs: "try:\n            helper.work()\n        except ValueError:\n            self.logger.exception('it went wrong')",
	thread: "import threading\n        thread = threading.Thread(target=helper.work)\n        thread.start()\n        thread.join()",
	calls: "self.action_service.get_value('x', scope='nowhere')",
};
const action = (name: string, runner: string, file: string) => `name: ${name}\nrunner_type: ${runner}\nentry_point: ${file}\n`;
const packs = {
	"site/pack.yaml": "ref: site\nname: site\ndescription: A pack.\nversion: 1.0.0\nauthor: somebody\n",
	"site/actions/lib/helper.py": "def work():\n    raise ValueError('broken')\n",
	"site/actions/gone.yaml": action("gone", "local-shell-script", "gone.sh"),
	"site/actions/gone.sh": "#!/bin/sh\n",
	...Object.fromEntries(Object.keys(bodies).map((name) => [`site/actions/${name}.yaml`, action(name, "python-script", `${name}.py`)])),
	...Object.fromEntries(Object.entries(bodies).map(([name, body]) => [`site/actions/${name}.py`, python(body)])),
};

/** The results of actions, once it is clear that they tell no place of the machine. */
async function withResults(
	engine: NonNullable<PythonScriptOptions["engine"]>,
	run: (resultOf: (name: string) => Promise<Readonly<Record<string, unknown>>>, service: GuardedService) => Promise<void>,
): Promise<void> {
	await withGuardedService(
		async (service) => {
			const root = await service.signIn("root");
			const hidden = [
				dirname(service.packs),
				realpathSync(service.packs),
				dirname(fileURLToPath(import.meta.url)),
				dirname(packageFile ?? "?"),
			];
			await run(async (name) => {
				const id = await service.run(root, `site.${name}`, {});
				const { body } = await service.ask(root, "GET", `/v1/executions/${id}`);
				const text = JSON.stringify(body["result"]);
				for (const place of hidden) assert.ok(!text.includes(place), `${name}: ${text}`);
				return body["result"] as Readonly<Record<string, unknown>>;
			}, service);
		},
		{ runners: [localScript(), pythonScript({ engine })], packs },
	);
}

function assertRaised({ stderr }: Readonly<Record<string, unknown>>): void {
	assert.match(String(stderr), /^Traceback [^]*\n {2}File "actions\/raises.py", line 6, in run\n {4}helper.work\(\)\n/);
	assert.match(String(stderr), /\n {2}File "actions\/lib\/helper.py", line 2, in work\n[^]*\nValueError: broken\n$/);
}

pythonTest("tracebacks of Python actions name files from the pack's directory on", () =>
	withResults("cpython", async (resultOf) => {
		assertRaised(await resultOf("raises"));
		const { error, traceback } = await resultOf("status");
		assert.match(String(error), /the first of two values/);
		assert.match(String(traceback), /^TypeError: the first of two values[^\n]*$/);
		assert.match(
			String((await resultOf("logs"))["stderr"]),
			/it went wrong\nTraceback [^]*File "actions\/lib\/helper.py", line 2, in work/,
		);
		assert.match(String((await resultOf("calls"))["stderr"]), /File "svc\/service.py", line \d+, in get_value/);
		assert.match(String((await resultOf("thread"))["stderr"]), /Exception in thread [^]*File "actions\/lib\/helper.py", line 2, in work/);
	}),
);

// The code that shortens them is the same on both engines: here it is that Pyodide shows the same paths.
test("tracebacks on Pyodide name files from the pack's directory on", () =>
	withResults("pyodide", async (resultOf, { directory }) => {
		const snapshot = new KeptSnapshot(join(directory, "data"));
		snapshot.lend();
		assertRaised(await resultOf("raises"));
		snapshot.keep();
	}));

test("the error of a runner tells files of the pack, and neither where they lie nor a frame of the service", () =>
	withResults("auto", async (resultOf, service) => {
		rmSync(join(service.packs, "site/actions/gone.sh"));
		const { error, traceback } = await resultOf("gone");
		assert.equal(error, 'entry point "actions/gone.sh" does not exist or is not a file');
		assert.equal(traceback, 'SvcError: entry point "actions/gone.sh" does not exist or is not a file', "no frame is the service's");
	}));

test.run();
