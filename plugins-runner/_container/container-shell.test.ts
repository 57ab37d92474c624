// test-timeout: 120
import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { RunnerPlugin } from "../../core/contract/index.ts";
import { KillableRun } from "../../core/testing/external-jobs/killable-run.ts";
import { createRunContext, type RunContextOptions } from "../../core/testing/run-context.ts";
import { withRunner } from "../../core/testing/runner/started-runner.ts";
import { localCommand } from "../local-command/index.ts";
import { localScript } from "../local-script/index.ts";
import { Podman, podmanTest } from "./podman.test-support.ts";

let podman: Podman | undefined;
const engineTest = podmanTest(test);
const container = "localhost/busybox:test";

test.after(() => podman?.stop());

/** What is printed, and what may be seen of the container while it is there. */
async function runIn(create: (host: string) => RunnerPlugin, given: RunContextOptions) {
	podman ??= await Podman.start();
	const { client } = podman;
	let seen = { text: "", description: "", code: 0 as unknown };
	await withRunner(create(podman.host).create(), async (runner) => {
		const context = createRunContext(runner, given);
		const { result } = await runner.run(context);
		const [id] = (await podman?.jobs()) ?? [];
		const description = JSON.stringify(await client.json({ method: "GET", path: `/containers/${id}/json` }));
		seen = { text: context.text("stdout"), description, code: result["return_code"] };
		await runner.afterRun?.(context);
	});
	assert.deepEqual(await podman.jobs(), []);
	assert.deepEqual(await podman.volumes(), []);
	return seen;
}

engineTest("a command runs in a container, and no variable or command of it can be read from outside", async () => {
	const { text, description, code } = await runIn((host) => localCommand({ containers: { host } }), {
		runnerParameters: {
			svc_container: container,
			cmd: "cat /etc/passwd | head -1; echo $GREETING $SVC_ACTION_AUTH_TOKEN; exit 4",
			env: { GREETING: "it's me" },
		},
		environment: { SVC_ACTION_AUTH_TOKEN: "t0ken" },
	});
	assert.equal(text, "root:x:0:0::/:/bin/sh\nit's me t0ken\n");
	assert.equal(code, 4);
	for (const hidden of ["t0ken", "GREETING", "exit 4"]) assert.ok(!description.includes(hidden), hidden);
});

engineTest("a script runs in a container with the files of its pack, its arguments and its secrets", async () => {
	const packDirectory = await mkdtemp(join(tmpdir(), "svc-pack-"));
	try {
		await mkdir(join(packDirectory, "actions/lib"), { recursive: true });
		await writeFile(join(packDirectory, "actions/lib/words"), "from the pack\n");
		const entryPoint = join(packDirectory, "actions/say.sh");
		await writeFile(entryPoint, '#!/bin/sh\npwd; cat actions/lib/words; echo "$@"; echo $SVC_ARG_KEY\n', { mode: 0o755 });
		const { text, description } = await runIn((host) => localScript({ containers: { host, user: "1000:1000" } }), {
			...{ packDirectory, entryPoint, runnerParameters: { svc_container: container } },
			actionParameters: { name: "a b'c", key: "s3cret" },
			actionSchema: { name: { type: "string" }, key: { type: "string", secret: true } },
		});
		assert.equal(text, "/svc/pack\nfrom the pack\n--name=a b'c\ns3cret\n");
		assert.ok(!description.includes("s3cret"));
	} finally {
		await rm(packDirectory, { recursive: true, force: true });
	}
});

engineTest("a script whose service is killed before its container begins is run once, with all that it was to have", async () => {
	podman ??= await Podman.start();
	const before = await podman.accepted();
	const packDirectory = await mkdtemp(join(tmpdir(), "svc-pack-"));
	const plugin = localScript({ containers: { host: podman.host } });
	try {
		await mkdir(join(packDirectory, "actions"));
		const entryPoint = join(packDirectory, "actions/say.sh");
		await writeFile(entryPoint, '#!/bin/sh\necho "$@" $SVC_ARG_KEY $SVC_ACTION_AUTH_TOKEN\n', { mode: 0o755 });
		const given: RunContextOptions = {
			...{ packDirectory, entryPoint, runnerParameters: { svc_container: container } },
			actionParameters: { name: "a", key: "s3cret" },
			actionSchema: { name: { type: "string" }, key: { type: "string", secret: true } },
			environment: { SVC_ACTION_AUTH_TOKEN: "t0ken" },
		};
		await withRunner(plugin.create(), async (runner, restart) => {
			// Of the first there is no container yet, the second has been made.
			const killed = [2, 3].map((moment) => new KillableRun(createRunContext(runner, given), moment));
			for (const run of killed) runner.run(run.context).catch(() => {});
			await Promise.all(killed.map(({ death }) => death));
			const next = await restart(plugin.create());
			for (const { context } of killed) {
				const again = createRunContext(next, { ...given, after: context });
				const end = await next.recover?.(again, context.savedState() ?? {});
				assert.deepEqual([end?.succeeded, again.text("stdout")], [true, "--name=a s3cret t0ken\n"]);
				await next.afterRun?.(again);
			}
			for (const run of killed) run.bury();
		});
		assert.equal((await podman.accepted()) - before, 2);
		assert.deepEqual([await podman.jobs(), await podman.volumes()], [[], []]);
	} finally {
		await rm(packDirectory, { recursive: true, force: true });
	}
});

test("what may not run in a container, or must, is refused", async () => {
	const containers = { host: "unix:///no/such/socket" };
	const cases: readonly (readonly [RunnerPlugin, object, RegExp])[] = [
		[localCommand({ containers, container_required: true }), { cmd: "true" }, /"svc_container" is required/],
		[localCommand(), { cmd: "true", svc_container: container }, /no option "containers"/],
		[localCommand({ containers }), { cmd: "true", svc_container: container, sudo: true }, /"sudo" and "svc_pty"/],
	];
	for (const [plugin, runnerParameters, message] of cases) {
		await withRunner(plugin.create(), async (runner) => {
			await assert.rejects(runner.run(createRunContext(runner, { runnerParameters })), { code: "SVC_INVALID", message });
		});
	}
	const wrong = localCommand({ container_required: true }).create();
	await assert.rejects(async () => wrong.check?.({} as never), { code: "SVC_CONFIG", message: /needs "containers"/ });
});

test.run();
