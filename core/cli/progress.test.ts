import * as assert from "node:assert/strict";
import { test } from "uvu";
import { CapturedText } from "../testing/cli/captured-text.test-support.ts";
import type { CliContext } from "./context.ts";
import { Progress } from "./progress.ts";

const escapeCharacter = String.fromCharCode(0x1b);

const createTerminal = (rows: number) => Object.assign(new CapturedText(), { isTTY: true, columns: 20, rows });
const toContext = (stderr: CapturedText) => ({ stderr, env: { NO_COLOR: "1" } }) as unknown as CliContext;

test("lines below the one that tells of progress are drawn under it, as many as there is room for, and taken away with it", async () => {
	const stderr = createTerminal(4);
	// What tells of progress keeps no process alive.
	const alive = setInterval(() => {}, 60_000);
	const progress = new Progress("waiting", toContext(stderr));
	progress.updateBelow(["gone", `kept\u001b[2J`, "a line that is longer than the terminal"]);
	await stderr.holds("a line");
	progress.stop();
	clearInterval(alive);
	const { text } = stderr;
	assert.ok(!text.includes("gone"));
	assert.ok(text.includes(`waiting 0 s\nkept\\u001b[2J\na line that is long\r${escapeCharacter}[2A`), JSON.stringify(text));
	assert.ok(text.endsWith(`\r${escapeCharacter}[K${escapeCharacter}[J`), JSON.stringify(text));
});

test("where nobody looks nothing is drawn", async () => {
	const stderr = new CapturedText();
	const progress = new Progress("waiting", toContext(stderr));
	assert.equal(progress.isShown, false);
	progress.updateBelow(["a"]);
	await progress.aside(async () => {});
	progress.stop();
	assert.equal(stderr.text, "");
});

test.run();
