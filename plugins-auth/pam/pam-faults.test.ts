import * as assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { cleanUp, findProcesses, makeService, makeUser, readProcess, unixRules, withPam } from "./pam-site.test-support.ts";

const { test: pamTest } = requires(test, { command: "useradd", package: "koffi", root: true });
const ann = { username: "ann", password: "correct horse" };
const bob = { username: "bob", password: "battery staple" };
const directory = mkdtempSync(join(tmpdir(), "svc-pam-"));

test.after(() => {
	cleanUp();
	rmSync(directory, { recursive: true });
});

/** A PAM service that runs a shell command for one user, and only then verifies. */
function makeServiceWith(username: string, command: string): string {
	const script = join(directory, `for-${username}`);
	writeFileSync(script, `#!/bin/sh\nif [ "$PAM_USER" = ${username} ]; then ${command}; fi\n`);
	chmodSync(script, 0o755);
	return makeService(`auth required pam_exec.so quiet ${script}\n${unixRules}`);
}

/** Resolves with the text of a file of the test's folder once it is there. */
async function appears(name: string): Promise<string> {
	const watcher = watch(directory);
	try {
		while (!existsSync(join(directory, name))) await once(watcher, "change");
		return readFileSync(join(directory, name), "utf8");
	} finally {
		watcher.close();
	}
}

const isUnavailable = (error: unknown) => isSvcError(error, "SVC_UNAVAILABLE") && !error.message.includes(bob.password);

pamTest("a module that hangs holds up nobody else, and is ended when its time is over", async () => {
	const [first, second] = [makeUser(ann), makeUser(bob)];
	// Written elsewhere first, so that whoever sees the file sees all of it.
	const command = `echo $$ > ${directory}/hung.new; mv ${directory}/hung.new ${directory}/hung; exec sleep 1000`;
	await withPam({ service: makeServiceWith(second, command), timeout: 3 }, async ({ signIn, logs }) => {
		const hanging = assert.rejects(signIn(second, bob.password), isUnavailable);
		const id = Number(await appears("hung"));
		for (const password of [ann.password, "wrong", ann.password]) {
			assert.equal(await signIn(first, password), password === "wrong" ? undefined : first);
		}
		assert.notEqual(readProcess(id, "cmdline"), "", "it has been ended too early");
		await hanging;
		assert.equal(await signIn(first, ann.password), first);
		assert.equal(readProcess(id, "cmdline"), "", "what the module started still runs");
		assert.ok(logs.some(({ message }) => message === "PAM did not respond in time"));
	});
	assert.deepEqual(findProcesses(), []);
});

pamTest("a module that crashes takes nothing with it but the attempt", async () => {
	const [first, second] = [makeUser(ann), makeUser(bob)];
	await withPam({ service: makeServiceWith(second, "kill -SEGV $PPID; sleep 1") }, async ({ signIn, logs }) => {
		for (let round = 0; round < 3; round++) {
			await assert.rejects(signIn(second, bob.password), isUnavailable);
			assert.equal(await signIn(first, ann.password), first);
		}
		assert.equal(logs.filter(({ message }) => message === "PAM process lost").length, 3);
	});
});

pamTest("a process that was killed while it had nothing to do is replaced", async () => {
	const name = makeUser(ann);
	await withPam({ service: makeService(unixRules) }, async ({ signIn }) => {
		for (let round = 0; round < 2; round++) {
			assert.equal(await signIn(name, ann.password), name);
			const [id = 0] = findProcesses();
			process.kill(id, "SIGKILL");
			// The attempt may meet the process before its end has been noticed.
			const outcome = await signIn(name, ann.password).catch((error: unknown) => error);
			assert.ok(outcome === name || isUnavailable(outcome));
			// The other process may have answered meanwhile, and busy processors let the killed one wait for its end.
			while (findProcesses().includes(id)) await delay(10);
			assert.equal(await signIn(name, ann.password), name);
		}
	});
});

pamTest("at most two conversations are held at a time", async () => {
	const name = makeUser(ann);
	await withPam({ service: makeService(unixRules) }, async ({ signIn }) => {
		const answers = await Promise.all(Array.from({ length: 20 }, () => signIn(name, ann.password)));
		assert.deepEqual(new Set(answers), new Set([name]));
		assert.equal(findProcesses().length, 2);
	});
});

pamTest("a flood of sign-ins is cut off with SVC_UNAVAILABLE, and afterwards all is well", async () => {
	const name = makeUser(ann);
	await withPam({ service: makeService(unixRules) }, async ({ signIn }) => {
		const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => signIn(name, ann.password)));
		const refused = outcomes.filter((outcome) => outcome.status === "rejected");
		assert.ok(refused.length > 0 && refused.length < 200);
		for (const { reason } of refused) assert.ok(isUnavailable(reason));
		assert.equal(await signIn(name, ann.password), name);
	});
});

pamTest("stop ends attempts under way and waiting, and leaves no process behind", async () => {
	const [first, second] = [makeUser(ann), makeUser(bob)];
	const attempts: Promise<unknown>[] = [];
	const command = `touch ${directory}/stopping; tail -f ${directory}/stopping`;
	await withPam({ service: makeServiceWith(second, command) }, async ({ signIn }) => {
		for (const name of [second, second, first, second]) attempts.push(signIn(name, bob.password).catch((error: unknown) => error));
		await appears("stopping");
	});
	for (const outcome of await Promise.all(attempts)) assert.ok(isUnavailable(outcome), String(outcome));
	assert.deepEqual(findProcesses(), []);
	const findLeft = () => readdirSync("/proc").filter((id) => readProcess(Number(id), "cmdline").includes(directory));
	// What was killed takes a moment to be gone.
	for (let turn = 0; turn < 100 && findLeft().length > 0; turn += 1) await delay(20);
	assert.deepEqual(findLeft(), []);
});

test.run();
