// test-waits
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, constants, mkdtempSync, openSync, readdirSync, readlinkSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { DirectPipe } from "./direct-pipe.ts";
import { LaunchedProcess } from "./launched-process.ts";
import { createMarker, eventually, findProcesses, runShell, spawners, useLauncher, withLauncher } from "./launcher.test-support.ts";
import type { Launcher } from "./launcher.ts";
import { createNodeSpawner } from "./node-spawner.ts";
import { ProcessRun } from "./process-run.ts";
import { decodeChannelNumber, encodeChannelNumber, type FrameWriter, frameTypes, loanStates } from "./protocol.ts";

/** Bytes after which a pipe is offered for certain. */
const much = 3_000_000;
/** Prints what the pipe of its stdout is called, then much. */
const flood = `readlink /proc/$$/fd/1; head -c ${much} /dev/zero`;

/** Whether this process has opened what `/proc` calls so. */
function hasOpen(name: string): boolean {
	return readdirSync("/proc/self/fd").some((descriptor) => {
		try {
			return readlinkSync(`/proc/self/fd/${descriptor}`) === name;
		} catch {
			return false;
		}
	});
}

for (const spawner of spawners) {
	const launcher = useLauncher(test, spawner);
	const check = (statement: string, run: (launcher: Launcher) => Promise<void>) => test(`${spawner}: ${statement}`, () => run(launcher));

	check("a pipe in which much comes is read by the server itself, and closed in the end", async (launcher) => {
		let [name, length, isOpen] = ["", 0, false];
		const end = await runShell(launcher, flood, {
			onStdout(text) {
				if (name === "") name = text.slice(0, text.indexOf("\n"));
				length += text.length;
				if (length > 2_000_000) isOpen ||= hasOpen(name);
			},
		});
		assert.equal(end.code, 0);
		assert.equal(length, name.length + 1 + much);
		assert.ok(isOpen);
		assert.ok(!hasOpen(name));
	});

	check("no byte is lost, repeated or out of its place", async (launcher) => {
		const hash = createHash("sha1");
		for (const bytes of [1_040_000, 1_048_576, 1_100_000, 5_000_000]) {
			const command = `seq 1 100000000 | head -c ${bytes}`;
			const end = await runShell(launcher, command);
			const expected = execFileSync("sh", ["-c", command], { maxBuffer: bytes });
			assert.equal(hash.copy().update(end.stdout).digest("hex"), hash.copy().update(expected).digest("hex"));
		}
	});

	check("both channels may be read so at once, and one that nobody takes holds up its process only", async (launcher) => {
		let take: () => void = () => {};
		const taken = new Promise<void>((resolve) => {
			take = resolve;
		});
		let [printed, errors] = [0, 0];
		// More than is read before it is held up, and than a wide pipe holds.
		const running = runShell(launcher, `${flood}; head -c ${much} /dev/zero; head -c ${much} /dev/zero >&2`, {
			async onStdout(text) {
				printed += text.length;
				if (printed > 2_000_000) await taken;
			},
			onStderr: (text) => void (errors += text.length),
		});
		assert.equal((await runShell(launcher, `head -c ${much} /dev/zero`)).stdout.length, much);
		assert.equal(errors, 0);
		take();
		await running;
		assert.ok(printed > much);
		assert.equal(errors, much);
	});

	check("a grandchild that holds such a pipe open is ended", async (launcher) => {
		const marker = createMarker();
		const end = await runShell(launcher, `${flood}; sleep ${marker} & echo done`);
		assert.ok(end.stdout.endsWith("\0done\n"));
		assert.equal(end.code, 0);
		assert.ok(await eventually(() => findProcesses(marker).length === 0));
	});

	check("an abort ends what floods", async (launcher) => {
		const controller = new AbortController();
		let length = 0;
		const onStdout = (text: string) => {
			length += text.length;
			if (length > much) controller.abort();
		};
		const end = await runShell(launcher, "exec yes", { signal: controller.signal, onStdout });
		assert.equal(end.signal, "SIGTERM");
	});

	check("a failing reader ends what floods, and is what the run rejects with", async (launcher) => {
		const refusal = new Error("not yours any more");
		let length = 0;
		const onStdout = async (text: string) => {
			length += text.length;
			if (length > much) throw refusal;
		};
		await assert.rejects(runShell(launcher, "exec yes", { onStdout, killGrace: 200 }), refusal);
	});

	test(`${spawner}: a launcher that is killed in a flood fails the run, and no pipe stays open`, () =>
		withLauncher(spawner, async (launcher) => {
			let [name, length] = ["", 0];
			const running = runShell(launcher, "readlink /proc/$$/fd/1; exec yes", {
				onStdout(text) {
					if (name === "") name = text.slice(0, text.indexOf("\n"));
					length += text.length;
					if (length > much && launcher.pid !== undefined) process.kill(launcher.pid, "SIGKILL");
				},
			});
			await assert.rejects(running, (error) => isSvcError(error, "SVC_RUNNER"));
			assert.ok(await eventually(() => !hasOpen(name)));
		}));
}

test("a pipe that nobody writes to any more ends when what is in it has been read", async () => {
	const directory = mkdtempSync(join(tmpdir(), "svc-borrowed-"));
	const path = join(directory, "pipe");
	execFileSync("mkfifo", [path]);
	const kept = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		const writing = openSync(path, constants.O_WRONLY);
		writeSync(writing, "last words");
		closeSync(writing);
		let text = "";
		const memory = Buffer.alloc(1_000);
		const isLeft = await new Promise((resolve) => {
			new DirectPipe({ path, nextBuffer: () => memory, onData: (bytes) => void (text += bytes.toString()), onEnd: resolve });
		});
		assert.equal(text, "last words");
		assert.equal(isLeft, false);
	} finally {
		closeSync(kept);
		rmSync(directory, { recursive: true });
	}
});

/** Notes frames instead of sending them. */
function createNotes() {
	const frames: { readonly type: number; readonly payload: Buffer }[] = [];
	const write = (type: number, _id: number, payload: Buffer | string = "") => void frames.push({ type, payload: Buffer.from(payload) });
	return { frames, writer: { write } as FrameWriter };
}

test("a server that cannot open a pipe declines it, and takes what comes through the launcher", async () => {
	const { frames, writer } = createNotes();
	let text = "";
	const options = {
		file: "cat",
		args: [],
		cwd: "/",
		env: {},
		signal: new AbortController().signal,
		onStdout: (piece: string) => void (text += piece),
		onStderr() {},
	};
	const run = new ProcessRun(options, { id: 1, writer, launcherPid: process.pid });
	run.receive(frameTypes.stdout, Buffer.from("one\n"));
	run.receive(frameTypes.offer, encodeChannelNumber("stdout", 999_999));
	run.receive(frameTypes.stdout, Buffer.from("two\n"));
	run.receive(frameTypes.ended, Buffer.from(JSON.stringify({ code: 0, signal: null })));
	await run.ended;
	assert.equal(text, "one\ntwo\n");
	const answer = frames.find(({ type }) => type === frameTypes.loan);
	assert.deepEqual(answer && decodeChannelNumber(answer.payload), { channel: "stdout", number: loanStates.declined });
});

test("a launcher whose offer is declined reads on", async () => {
	const nothing = openSync("/dev/null", "r");
	const spawner = createNodeSpawner();
	const seen = { bytes: 0, offers: 0 };
	try {
		await new Promise<void>((resolve) => {
			const write = (type: number, _id: number, payload: Buffer | string = "") => {
				if (type === frameTypes.stdout) {
					seen.bytes += payload.length;
					setImmediate(() => launched.addCredit("stdout", payload.length));
				}
				if (type === frameTypes.offer) {
					seen.offers += 1;
					setImmediate(() => launched.handleLoanState("stdout", loanStates.declined));
				}
			};
			const launched = new LaunchedProcess({ id: 1, spawner, writer: { write } as FrameWriter, devNull: nothing, onDone: resolve });
			const env = { PATH: process.env["PATH"] ?? "" };
			void launched.start({ file: "head", args: ["-c", String(much), "/dev/zero"], cwd: "/", env });
		});
	} finally {
		spawner.stop();
		closeSync(nothing);
	}
	assert.deepEqual(seen, { bytes: much, offers: 1 });
});

test.run();
