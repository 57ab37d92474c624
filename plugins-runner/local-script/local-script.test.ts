// test-waits
import * as assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { JsonObject, ParameterDefinitions, RunResult } from "../../core/contract/index.ts";
import { createRunContext, type RunContextOptions, silentLogger } from "../../core/testing/run-context.ts";
import { testNode, withRunner } from "../../core/testing/runner/started-runner.ts";
import { type RunnerCases, testRunner } from "../../core/testing/runner-suite.ts";
import { gitTest, PackRepository } from "../_content/pack-repository.test-support.ts";
import { keepLauncher } from "../_process/launcher.test-support.ts";
import { type LocalScriptOptions, localScript } from "./index.ts";

keepLauncher(test, { nodeId: testNode, logger: silentLogger });

const pack = realpathSync(mkdtempSync(join(tmpdir(), "svc pack ")));
test.after(() => rmSync(pack, { recursive: true }));

function writeScript(name: string, text: string, mode = 0o755): RunContextOptions {
	mkdirSync(join(pack, "actions"), { recursive: true });
	const entryPoint = join(pack, "actions", name);
	writeFileSync(entryPoint, text);
	chmodSync(entryPoint, mode);
	return { entryPoint, packDirectory: pack };
}

async function run(options: RunContextOptions, runnerOptions: LocalScriptOptions = {}): Promise<RunResult> {
	let end: RunResult | undefined;
	await withRunner(localScript(runnerOptions).create(), async (runner) => {
		end = await runner.run(createRunContext(runner, options));
	});
	assert.ok(end !== undefined);
	return end;
}

const cases: RunnerCases = {
	succeeds: writeScript("succeeds.sh", "#!/bin/sh\nexit 0\n"),
	fails: writeScript("fails.sh", "#!/bin/sh\nexit 1\n"),
	throws: { entryPoint: join(pack, "missing.sh") },
	prints: (count) => ({
		...writeScript("prints.sh", "#!/bin/sh\ni=1; while [ $i -le $1 ]; do echo line $i; i=$((i+1)); done\n"),
		actionSchema: { count: { type: "integer", position: 0 } },
		actionParameters: { count },
	}),
	blocks: writeScript("blocks.sh", "#!/bin/sh\necho ready\nsleep 600\n"),
	// How output is read and a process is ended is the same code for local-command, whose tests have those cases.
	hidesSecret: (secret) => ({
		...writeScript("secret.sh", '#!/bin/sh\n[ -n "$SVC_ARG_NAMED$SVC_ARG_PLACED" ] && echo ready; sleep 600\n'),
		actionSchema: { named: { type: "string", secret: true }, placed: { type: "string", secret: true, position: 0 } },
		actionParameters: { named: secret, placed: secret },
	}),
};

testRunner({ test, name: "local script", create: () => localScript(), cases, patience: 30_000 });

testRunner({
	patience: 30_000,
	test,
	name: "local script that survives",
	create: () => localScript({ survive_restart: true }),
	cases: {
		...cases,
		lasts: (count) => ({
			...writeScript("lasts.sh", "#!/bin/sh\ni=1; while [ $i -le $1 ]; do echo line $i; i=$((i+1)); sleep 0.02; done\n"),
			actionSchema: { count: { type: "integer", position: 0 } },
			actionParameters: { count },
		}),
	},
});

const show = '#!/bin/sh\nfor argument in "$@"; do echo "[$argument]"; done\n';

async function showArguments(actionParameters: JsonObject, actionSchema: ParameterDefinitions, kwarg_op = "--"): Promise<string> {
	const { result } = await run({ ...writeScript("show.sh", show), actionParameters, actionSchema, runnerParameters: { kwarg_op } });
	return String(result["stdout"]);
}

test("named arguments come first, then positional ones in their order", async () => {
	const schema: ParameterDefinitions = {
		last: { type: "string", position: 1 },
		name: { type: "string" },
		first: { type: "string", position: 0 },
	};
	assert.equal(await showArguments({ last: "z", name: "n", first: "a" }, schema), "[--name=n]\n[a]\n[z]");
	assert.equal(await showArguments({ last: null, name: null, first: "a" }, schema, "-"), "[a]\n[]");
});

test("no value can be more than one argument", async () => {
	const evil = "'; touch /tmp/x; $(id) `id` \"\\ \n * ~ ${HOME} --other=1 é";
	const schema: ParameterDefinitions = { named: { type: "string" }, placed: { type: "string", position: 0 } };
	assert.equal(await showArguments({ named: evil, placed: evil }, schema), `[--named=${evil}]\n[${evil}]`);
});

test("secrets reach the script in its environment and never stand on its command line", async () => {
	const text = '#!/bin/sh\ntr "\\0" " " </proc/$$/cmdline; echo; echo "$# $SVC_ARG_PASSWORD $SVC_ARG_PIN"\n';
	const secret = {
		...writeScript("secret.sh", text),
		actionSchema: { password: { type: "string", secret: true }, pin: { type: "string", secret: true, position: 0 } },
		actionParameters: { password: "hunter2", pin: "4711" },
	} as const;
	const [commandLine, seen] = String((await run(secret)).result["stdout"]).split("\n");
	assert.doesNotMatch(String(commandLine), /hunter2|4711/);
	assert.equal(seen, "1 hunter2 4711");
	const shown = await run(secret, { secret_arguments: "command_line" });
	assert.match(String(shown.result["stdout"]), /--password=hunter2 4711/);
});

test("a script that is not executable is made so", async () => {
	const options = writeScript("plain.sh", "#!/bin/sh\necho ran\n", 0o644);
	assert.equal((await run(options)).result["stdout"], "ran");
	assert.equal(statSync(options.entryPoint ?? "").mode & 0o111, 0o111);
});

test("a script without an interpreter line is run by the shell", async () => {
	assert.equal((await run(writeScript("bare.sh", 'echo "bare $0"\n'))).result["stdout"], `bare ${join(pack, "actions", "bare.sh")}`);
});

test("it runs in the pack's directory, or in cwd", async () => {
	const options = writeScript("pwd.sh", "#!/bin/sh\npwd -P\n");
	assert.equal((await run(options)).result["stdout"], pack);
	assert.equal((await run({ ...options, runnerParameters: { cwd: "/" } })).result["stdout"], "/");
});

test("debug reaches the script as a variable", async () => {
	const options = writeScript("debug.sh", "#!/bin/sh\necho $SVC_ACTION_DEBUG\n");
	assert.equal((await run(options)).result["stdout"], "False");
	assert.equal((await run({ ...options, runnerParameters: { debug: true } })).result["stdout"], "True");
});

gitTest(test)("content_version runs the script of a revision in its own directory, and leaves nothing behind", async () => {
	const repository = new PackRepository();
	try {
		const entryPoint = repository.write("actions/say.sh", "#!/bin/sh\necho old; cat data; pwd -P\n");
		repository.write("data", "old data\n");
		repository.commit("v1");
		repository.write("actions/say.sh", "#!/bin/sh\necho new\n");
		const options = { entryPoint, packDirectory: repository.directory, runnerParameters: { content_version: "v1" } };
		for (const survive_restart of [false, true]) {
			const { result } = await run(options, { survive_restart });
			assert.match(String(result["stdout"]), /^old\nold data\n.*svc-git-worktree-/);
			assert.deepEqual(repository.leftovers(), []);
		}
		await assert.rejects(
			run({ ...options, runnerParameters: { content_version: "v9" } }),
			/Failed to create git worktree for pack "tests": /,
		);
	} finally {
		repository.remove();
	}
});

test("a missing entry point, a missing interpreter and a NUL are told by name", async () => {
	await assert.rejects(run({}), /entry_point: required/);
	await assert.rejects(run({ entryPoint: join(pack, "gone.sh") }), /gone\.sh" does not exist/);
	await assert.rejects(run(writeScript("lost.sh", "#!/no/such/interpreter\n")), /lost\.sh" cannot be started/);
	const nul = { actionSchema: { a: { type: "string" } }, actionParameters: { a: "\0" } } as const;
	await assert.rejects(run({ ...writeScript("show.sh", show), ...nul }), /"arguments" must not contain a NUL/);
});

test.run();
