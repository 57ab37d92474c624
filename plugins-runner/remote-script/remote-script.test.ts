// test-waits
// test-suite: full
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { JsonObject, ParameterDefinitions } from "../../core/contract/index.ts";
import type { RunContextOptions } from "../../core/testing/run-context.ts";
import { testRunner } from "../../core/testing/runner-suite.ts";
import { missing, requires } from "../../core/testing/test-requirements.ts";
import { PackRepository } from "../_content/pack-repository.test-support.ts";
import { openSite, type RemoteRun, runRemote, toLogin, toOptions } from "../_ssh/remote-run.test-support.ts";
import { sshdTest } from "../_ssh/sshd.test-support.ts";
import { remoteScript } from "./index.ts";

// test-timeout: 300
const { site, sshd } = await openSite(test);
const remoteTest = sshdTest(test);
const rootTest = missing({ root: true }) === undefined ? remoteTest : requires(test, { root: true }).test;
const pack = realpathSync(mkdtempSync(join(tmpdir(), "svc pack ")));
const staging = join(pack, "staging it's");
mkdirSync(staging);
test.after(() => rmSync(pack, { recursive: true }));

/** The staging directory is on this machine, as the server is. */
const runnerParameters = { ...toLogin(site, sshd), dir: staging };

function writeScript(name: string, text: string): RunContextOptions {
	mkdirSync(join(pack, "actions"), { recursive: true });
	const entryPoint = join(pack, "actions", name);
	writeFileSync(entryPoint, text);
	return { entryPoint, packDirectory: pack, runnerParameters };
}

testRunner({
	patience: 30_000,
	test: remoteTest,
	name: "remote script",
	// Four seconds lie between TERM and KILL; each sweep of the host and the removal of files take a channel of their own.
	grace: 10_000,
	create: () => remoteScript(),
	options: toOptions(site),
	cases: {
		succeeds: writeScript("succeeds.sh", "#!/bin/sh\nexit 0\n"),
		fails: writeScript("fails.sh", "#!/bin/sh\nexit 1\n"),
		throws: { entryPoint: join(pack, "missing.sh"), runnerParameters },
		prints: (count) => ({
			...writeScript("prints.sh", "#!/bin/sh\ni=1; while [ $i -le $1 ]; do echo line $i; i=$((i+1)); done\n"),
			actionSchema: { count: { type: "integer", position: 0 } },
			actionParameters: { count },
		}),
		blocks: writeScript("blocks.sh", "#!/bin/sh\necho ready\nsleep 600\n"),
		// How a host's output is read and its processes are ended is the same code for remote-command, whose tests have those cases.
		hidesSecret: (secret) => ({
			...writeScript("secret.sh", '#!/bin/sh\n[ -n "$SVC_ARG_NAMED$SVC_ARG_PLACED" ] && echo ready; sleep 600\n'),
			actionSchema: { named: { type: "string", secret: true }, placed: { type: "string", secret: true, position: 0 } },
			actionParameters: { named: secret, placed: secret },
		}),
	},
});

async function run({ plugin = remoteScript(), ...options }: RunContextOptions & Partial<Pick<RemoteRun, "during" | "plugin">>) {
	const end = await runRemote({ plugin, options: toOptions(site), ...options });
	assert.deepEqual(readdirSync(staging), [], "files were left behind");
	return { ...end, part: end.result["127.0.0.1"] as JsonObject };
}

remoteTest("arguments arrive as they are: named ones first, then positional ones", async () => {
	const evil = "'; touch /tmp/x; $(id) `id` \"\\ \n * ~ ${HOME} --other=1 é";
	const actionSchema: ParameterDefinitions = {
		last: { type: "string", position: 1 },
		name: { type: "string" },
		first: { type: "string", position: 0 },
	};
	const script = writeScript("show.sh", '#!/bin/sh\nfor argument in "$@"; do echo "[$argument]"; done\n');
	const { part } = await run({ ...script, actionSchema, actionParameters: { last: null, name: evil, first: evil } });
	assert.equal(part["stdout"], `[--name=${evil}]\n[${evil}]\n[]`);
});

const secret: RunContextOptions = {
	actionSchema: { password: { type: "string", secret: true }, pin: { type: "string", secret: true, position: 0 } },
	actionParameters: { password: "it's hunter2", pin: "4711" },
};

remoteTest("secrets reach the script in its environment, or on its command line where that is asked for", async () => {
	const script = { ...writeScript("secrets.sh", '#!/bin/sh\necho "$#|$*|$SVC_ARG_PASSWORD|$SVC_ARG_PIN"\n'), ...secret };
	assert.equal((await run(script)).part["stdout"], "1||it's hunter2|4711");
	const shown = await run({ ...script, plugin: remoteScript({ secret_arguments: "command_line" }) });
	assert.equal(shown.part["stdout"], "2|--password=it's hunter2 4711||");
});

rootTest("no other user of the host can read a secret, also under sudo", async () => {
	for (const sudo of missing({ command: "sudo" }) === undefined ? [false, true] : [false]) {
		const seen: string[] = [];
		await run({
			...writeScript("waits.sh", '#!/bin/sh\necho "ready $SVC_ARG_PIN"; sleep 600\n'),
			...secret,
			runnerParameters: { ...runnerParameters, sudo },
			async during(context) {
				await context.waitFor("stdout", "ready 4711\n");
				seen.push(readAsNobody("cmdline"), readAsNobody("environ"));
				context.abort("cancel");
			},
		});
		assert.match(seen.join(""), /waits\.sh/);
		assert.doesNotMatch(seen.join(""), /hunter2|4711/);
	}
});

/** This file of every process of the machine, as far as somebody without rights gets it. */
function readAsNobody(file: "cmdline" | "environ"): string {
	const read = `cat /proc/[0-9]*/${file} 2>/dev/null | tr "\\0" " "`;
	return execFileSync("/bin/sh", ["-c", read], { uid: 65_534, gid: 65_534, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}

remoteTest("the directory lib goes along with its modes, and all of it is gone afterwards", async () => {
	const script = writeScript("uses-lib.sh", '#!/bin/sh\n"$(dirname "$0")/lib/deep/tool"; cat "$(dirname "$0")/lib/data"; pwd\n');
	const library = join(pack, "actions", "lib");
	mkdirSync(join(library, "deep"), { recursive: true });
	writeFileSync(join(library, "deep", "tool"), "#!/bin/sh\necho tool\n");
	chmodSync(join(library, "deep", "tool"), 0o755);
	writeFileSync(join(library, "data"), "data\n");
	const { part } = await run(script);
	assert.equal(part["stdout"], "tool\ndata\n/tmp");
	rmSync(library, { recursive: true });
});

sshdTest(test, "git")("content_version takes the script and its library from a revision", async () => {
	const repository = new PackRepository();
	try {
		const entryPoint = repository.write("actions/say.sh", '#!/bin/sh\ncat "$(dirname "$0")/lib/data"\n');
		repository.write("actions/lib/data", "old\n");
		repository.commit("v1");
		repository.write("actions/lib/data", "new\n");
		const options = { entryPoint, packDirectory: repository.directory };
		assert.equal((await run({ ...options, runnerParameters })).part["stdout"], "new");
		const old = await run({ ...options, runnerParameters: { ...runnerParameters, svc_content_version: "v1" } });
		assert.equal(old.part["stdout"], "old");
		assert.deepEqual(repository.leftovers(), []);
	} finally {
		repository.remove();
	}
});

remoteTest("nothing is left behind after a failure, a time-out and a cancel", async () => {
	await run(writeScript("fails.sh", "#!/bin/sh\nexit 1\n"));
	for (const kind of ["timeout", "cancel"] as const) {
		const { part } = await run({
			...writeScript("stubborn.sh", '#!/bin/sh\ntrap "" TERM\necho ready\nwhile :; do sleep 600; done\n'),
			async during(context) {
				await context.waitFor("stdout", "ready\n");
				context.abort(kind);
			},
		});
		assert.equal(part["return_code"], kind === "timeout" ? -9 : 255);
	}
});

remoteTest("a staging directory that cannot be made fails the host with the reason", async () => {
	const script = writeScript("succeeds.sh", "#!/bin/sh\nexit 0\n");
	const { part, succeeded } = await run({ ...script, runnerParameters: { ...runnerParameters, dir: "/does/not/exist" } });
	assert.equal(succeeded, false);
	assert.equal(part["return_code"], 255);
	assert.match(String(part["error"]), /could not be copied to \/does\/not\/exist/);
	assert.ok(!existsSync("/does/not/exist"));
});

remoteTest("a missing interpreter is told by the host's shell, and debug reaches the script", async () => {
	const lost = await run(writeScript("lost.sh", "#!/no/such/interpreter\n"));
	assert.equal(lost.part["return_code"], 127);
	const debug = writeScript("debug.sh", "#!/bin/sh\necho $SVC_ACTION_DEBUG\n");
	assert.equal((await run({ ...debug, runnerParameters: { ...runnerParameters, svc_debug: true } })).part["stdout"], "True");
	await assert.rejects(run({ runnerParameters }), /entry_point: required/);
});

test.run();
