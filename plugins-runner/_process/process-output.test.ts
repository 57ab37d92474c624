import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { constants, readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { collectGarbage } from "../../core/testing/collect-garbage.test-support.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { eventually, runShell, spawners, useLauncher } from "./launcher.test-support.ts";
import type { Launcher } from "./launcher.ts";

const terminal = requires(test, { package: "node-pty" });

for (const spawner of spawners) {
	const launcher = useLauncher(test, spawner);
	const check = (statement: string, run: (launcher: Launcher) => Promise<void>) => test(`${spawner}: ${statement}`, () => run(launcher));
	const checkTerminal: typeof check = (statement, run) => terminal.test(`${spawner}: ${statement}`, () => run(launcher));

	check("it is the way asked for", async (launcher) => {
		assert.deepEqual(await launcher.start(), { spawner });
	});

	check("stdout and stderr are apart, and both are real pipes", async (launcher) => {
		const end = await runShell(launcher, "echo out; echo err >&2; echo again > /dev/stderr; printf tail; exit 3");
		assert.equal(end.stdout, "out\ntail");
		assert.equal(end.stderr, "err\nagain\n");
		assert.equal(end.code, 3);
	});

	check("stdin holds the given text, else nothing", async (launcher) => {
		assert.equal((await runShell(launcher, "cat", { stdin: "one\ntwo" })).stdout, "one\ntwo");
		assert.equal((await runShell(launcher, "cat")).stdout, "");
		assert.equal((await runShell(launcher, "exit 4", { stdin: "x".repeat(1_000_000) })).code, 4);
	});

	check("a process that reads faster than it is given something waits for it", async (launcher) => {
		const text = "x".repeat(4_000_000);
		assert.equal((await runShell(launcher, "cat | wc -c", { stdin: text })).stdout, `${text.length}\n`);
		const flags = /^flags:\s*([0-7]+)$/m;
		for (const input of [{ stdin: text }, { onInput: () => {} }]) {
			const { stdout } = await runShell(launcher, "cat /proc/self/fdinfo/0", input);
			assert.equal(Number.parseInt(flags.exec(stdout)?.[1] ?? "", 8) & constants.O_NONBLOCK, 0, stdout);
		}
	});

	check("stdin stays open where that is asked for, and takes what comes later", async (launcher) => {
		let write = (_text: string) => {};
		const end = await runShell(launcher, "read one; echo got $one; read two; echo got $two; read three; echo got $three; exit 3", {
			stdin: "given\n",
			onInput: (give) => {
				write = give;
			},
			onStdout: (text) => {
				if (text.includes("got given")) write("second\nthi");
				if (text.includes("got second")) write("rd\n");
				if (text.includes("got third")) write("nobody reads this\n");
			},
		});
		assert.equal(end.code, 3);
	});

	check("what comes for the stdin of processes that wait for their start reaches them, in order", async (launcher) => {
		const numbers = Array.from({ length: 12 }, (_, index) => String(index));
		const runs = numbers.map((number) => {
			const onInput = (write: (text: string) => void) => ["and ", `${number}\n`].forEach(write);
			return runShell(launcher, "read line; echo $line", { stdin: "given ", onInput });
		});
		const ends = await Promise.all(runs);
		assert.deepEqual(
			ends.map(({ stdout }) => stdout),
			numbers.map((number) => `given and ${number}\n`),
		);
	});

	check("descriptor 3 is a pipe of its own when it is asked for, and closed otherwise", async (launcher) => {
		let report = "";
		const command = "echo out; echo err >&2; echo report >&3; head -c 1000000 /dev/zero >&3";
		const end = await runShell(launcher, command, { onReport: (text) => void (report += text) });
		assert.equal(end.stdout, "out\n");
		assert.equal(end.stderr, "err\n");
		assert.equal(report, `report\n${"\0".repeat(1_000_000)}`);
		assert.notEqual((await runShell(launcher, "exec 2>&1; (echo lost >&3) && exit 0")).code, 0);
	});

	check("a character split over two writes stays whole, and what is no text is replaced", async (launcher) => {
		const end = await runShell(launcher, "printf '\\303'; sleep 0.1; printf '\\251\\n'; printf '\\377\\000\\n\\342\\202'");
		assert.equal(end.stdout, "é\n\ufffd\0\n\ufffd");
	});

	check("slow lines come one by one, and a prompt without its end comes soon", async (launcher) => {
		const end = await runShell(launcher, "echo one; echo two; printf 'name? '; sleep 0.3; echo ann");
		assert.deepEqual(end.pieces, ["one\n", "two\n", "name? ", "ann\n"]);
	});

	check("many lines come in larger pieces, complete and in order", async (launcher) => {
		const end = await runShell(launcher, "seq 1 200000");
		assert.equal(createHash("sha1").update(end.stdout).digest("hex"), createHash("sha1").update(sequence(200_000)).digest("hex"));
		assert.ok(end.pieces.length < 2_000, `${end.pieces.length} pieces`);
	});

	check("processes that print at once, little and much, each have their own output", async (launcher) => {
		const letters = [..."abcdefgh"];
		const command = (letter: string) =>
			`for n in 1 2 3; do echo ${letter}; head -c 50000 /dev/zero | tr '\\0' ${letter}; done; echo ${letter}`;
		const ends = await Promise.all(letters.map((letter) => runShell(launcher, command(letter))));
		for (const [index, letter] of letters.entries()) {
			assert.ok(ends[index]?.stdout === `${`${letter}\n${letter.repeat(50_000)}`.repeat(3)}${letter}\n`, letter);
		}
	});

	check("short processes, and those that leave others behind, leave no pipe open in the launcher", async (launcher) => {
		await runShell(launcher, "echo one");
		const count = () => readdirSync(`/proc/${launcher.pid}/fd`).length;
		const before = count();
		const commands = ["echo out; echo err >&2", "echo early; sleep 0.05; echo late", "sleep 0.2 & echo left"];
		const ends = await Promise.all(Array.from({ length: 45 }, (_, index) => runShell(launcher, commands[index % commands.length] ?? "")));
		const expected = ["out\n", "early\nlate\n", "left\n"];
		for (const [index, end] of ends.entries()) assert.equal(end.stdout, expected[index % expected.length]);
		// Node's own way makes pipes sixteen at a time.
		assert.ok(await eventually(() => count() <= before + 32));
	});

	check("100 MB without a newline pass in bounded pieces", async (launcher) => {
		let length = 0;
		let longest = 0;
		const onStdout = (text: string) => {
			length += text.length;
			longest = Math.max(longest, text.length);
		};
		await runShell(launcher, "head -c 100000000 /dev/zero", { onStdout });
		assert.equal(length, 100_000_000);
		assert.ok(longest <= 128 * 1024, `${longest} characters`);
	});

	check("a flood that nobody takes waits in the process, while others go on", async (launcher) => {
		let take: () => void = () => {};
		const taken = new Promise<void>((resolve) => {
			take = resolve;
		});
		let length = 0;
		const begin = collectGarbage();
		const flood = runShell(launcher, "head -c 200000000 /dev/zero", {
			async onStdout(text) {
				length += text.length;
				await taken;
			},
		});
		for (let index = 0; index < 20; index++) assert.equal((await runShell(launcher, "echo quick")).stdout, "quick\n");
		assert.ok(length <= 128 * 1024, `${length} characters were handed on`);
		assert.ok(collectGarbage() - begin < 16 * 1024 * 1024);
		take();
		await flood;
		assert.equal(length, 200_000_000);
	});

	check("a slow reader of one channel does not hold up the other", async (launcher) => {
		let errors = "";
		const onStdout = () => delay(300);
		const end = await runShell(launcher, "echo slow; echo quick >&2", { onStdout, onStderr: (text) => void (errors += text) });
		assert.equal(errors, "quick\n");
		assert.ok(end.milliseconds >= 290);
	});

	checkTerminal("with pty stdout is a terminal, exact to the last byte", async (launcher) => {
		const end = await runShell(launcher, "test -t 1 && echo terminal; printf 'own\\r\\n'; seq 1 40000; printf end", { pty: true });
		assert.equal(end.stdout, `terminal\nown\r\n${sequence(40_000)}end`);
	});

	checkTerminal("with pty a background process does not hold the end up, and stderr is a pipe", async (launcher) => {
		const end = await runShell(launcher, "test -t 2 || echo pipe >&2; sleep 30 2>/dev/null & exit 5", { pty: true });
		assert.equal(end.stderr, "pipe\n");
		assert.equal(end.code, 5);
		assert.ok(end.milliseconds < 2_000);
	});

	checkTerminal("with pty more output than the window holds passes, carriage returns and all", async (launcher) => {
		const end = await runShell(launcher, "yes '' | head -n 2000000", { pty: true });
		assert.equal(end.stdout.length, 2_000_000);
	});
}

function sequence(count: number): string {
	return Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("");
}

test.run();
