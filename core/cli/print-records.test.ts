import * as assert from "node:assert/strict";
import { Readable } from "node:stream";
import { Command } from "commander";
import { test } from "uvu";
import { parse } from "yaml";
import { CapturedText } from "../testing/cli/captured-text.test-support.ts";
import { optionsOf, withFormatOptions } from "./commands/options.ts";
import type { CliContext } from "./context.ts";
import { printList, printRecord } from "./print-records.ts";

const record = { id: "65f0a1b2c3d4e5f6a7b8c9d0", name: "sweep", action: { ref: "core.local", pack: "core" }, note: "x".repeat(200) };

async function printed(words: readonly string[], print: (options: object, context: CliContext) => Promise<void>): Promise<string> {
	const stdout = new CapturedText();
	const context = { stdout, stderr: new CapturedText(), stdin: Readable.from([]), env: {}, onInterrupt: () => () => {} };
	const command = withFormatOptions(new Command("show").exitOverride().configureOutput({ writeErr: () => {} }));
	await command.action((_options, given) => print(optionsOf(given), context)).parseAsync([...words], { from: "user" });
	return stdout.text;
}

const list = (...words: string[]) =>
	printed(words, (options, context) => printList({ items: [record] } as never, ["id", "name"], options, context));
const get = (...words: string[]) => printed(words, (options, context) => printRecord(record, ["id", "action"], options, context));

test("a list says how much more there is, or that there is more than is counted", async () => {
	for (const [page, said] of [
		[{ total: 1 }, ""],
		[{ total: 7 }, "Showing 1 of 7 records.\n"],
		[{ total: 7, hasMore: true }, "Showing 1 of more than 7 records.\n"],
		[{ total: 1, hasMore: true }, "Showing 1 of more than 1 records.\n"],
	] as const) {
		const stderr = new CapturedText();
		const context = { stdout: new CapturedText(), stderr, stdin: Readable.from([]), env: {}, onInterrupt: () => () => {} };
		await printList({ items: [record], limit: 1, ...page }, ["id"], {}, context);
		assert.equal(stderr.text, said);
	}
});

test("-o prints what the older options print", async () => {
	for (const print of [list, get]) {
		assert.equal(await print("-o", "json"), await print("-j"));
		assert.equal(await print("--output", "yaml"), await print("-y"));
	}
	assert.equal(await list("-o", "table"), await list());
	await assert.rejects(list("-o", "xml"), /Allowed choices are table, wide, json, yaml/);
	await assert.rejects(list("-o", "yaml", "-j"), /cannot be used with/);
});

test("a record is printed as a table too, and a list without limits", async () => {
	assert.equal(
		await get("-o", "table"),
		["property  value", "id        65f0a1b2c3d4e5f6a7b8c9d0", "action    ref: core.local", "          pack: core", ""].join("\n"),
	);
	assert.match(await list("-o", "wide", "--attr", "id,note"), / {2}x{200}\n/);
	assert.match(await list("--attr", "id,note"), / {2}x{200}\n/);
});

test("--attr chooses what is printed, in every form", async () => {
	assert.equal(await get("-a", "name,action.ref"), "name: sweep\naction.ref: core.local\n");
	assert.deepEqual(JSON.parse(await get("-j", "--attr", "name,action.ref,nothing")), { name: "sweep", action: { ref: "core.local" } });
	assert.deepEqual(parse(await list("-y", "--attr", "action.ref,action.pack")), [{ action: { ref: "core.local", pack: "core" } }]);
	assert.match(await list("--attr", "action.ref,id"), /^action\.ref {2}id\ncore\.local {2}[0-9a-f]{24}\n$/);
	assert.deepEqual(JSON.parse(await get("-o", "json", "--attr", "all")), record);
	assert.match(await get("--attr", "all"), /^id: .*\nname: sweep\naction:\n {4}ref: core\.local\n {4}pack: core\nnote: x+\n$/);
});

test.run();
