import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type DatastoreAccess, renderWithLookups } from "./datastore.ts";
import { toScope } from "./scope.ts";
import { compileTemplate } from "./template.ts";

const items: Readonly<Record<string, string>> = {
	"system:plain": "text",
	"system:a.b": "dotted",
	"system:next": "a.b",
	"system:template": "{{ n }}",
	"system:hidden": "CIPHER",
	"user:plain": "mine",
	"user:ünïcode 🦊": "fox",
};

/** A datastore that counts how often it is asked. */
function createAccess(asked: string[] = []): DatastoreAccess {
	return {
		async lookup(scope, name) {
			asked.push(`${scope}:${name}`);
			if (name === "refused") throw new Error("not allowed");
			return items[`${scope}:${name}`];
		},
		async decrypt(cipherText) {
			if (cipherText !== "CIPHER") throw new Error("the item is absent or empty");
			return "clear";
		},
	};
}

const values = { n: 3, name: "plain", scope: "user" };
const render = (text: string, access = createAccess()) =>
	renderWithLookups(access, (datastore) => compileTemplate(text).renderNative(toScope(values, datastore)));

test("items are read by members, brackets and computed names", async () => {
	const rows: [string, unknown][] = [
		["{{ svckv.system.plain }}", "text"],
		["{{ svckv.system.a.b }} {{ svckv.system['a.b'] }} {{ svckv['system'].a['b'] }}", "dotted dotted dotted"],
		["{{ svckv.system[name] }}{{ svckv[scope].plain }}{{ svckv[scope][name] }}", "textminemine"],
		["{{ svckv.system[svckv.system.next] }}", "dotted"],
		["{% set s = svckv.system %}{{ s.a.b | upper }}", "DOTTED"],
		["{{ svckv.user['ünïcode 🦊'] }}", "fox"],
		["{{ [svckv.system.plain, {'k': svckv.user.plain}] }}", ["text", { k: "mine" }]],
		["{{ svckv.system.plain == 'text' }}", true],
		["{{ svckv.system.plain ~ '!' }}", "text!"],
		["{% for key in ['plain', 'next'] %}{{ svckv.system[key] }},{% endfor %}", "text,a.b,"],
	];
	for (const [text, expected] of rows) assert.deepEqual(await render(text), expected, text);
});

test("a missing item is an empty text", async () => {
	assert.equal(await render("<{{ svckv.system.none }}{{ svckv.user.a.b.c }}>"), "<>");
	assert.equal(await render("{{ svckv.system.none | default('x', true) }}"), "x");
});

test("what an item holds is never rendered", async () => {
	assert.equal(await render("{{ svckv.system.template }}"), "{{ n }}");
});

test("each item is asked for once in a rendering", async () => {
	const asked: string[] = [];
	await render("{{ svckv.system.plain }}{{ svckv.system.plain }}{{ svckv.system[svckv.system.next] }}", createAccess(asked));
	assert.deepEqual([...asked].sort(), ["system:a.b", "system:next", "system:plain"]);
});

test("decrypt_kv turns cipher text into clear text, and refuses what is empty", async () => {
	assert.equal(await render("{{ svckv.system.hidden | decrypt_kv }}"), "clear");
	await assert.rejects(render("{{ svckv.system.none | decrypt_kv }}"), /absent or empty/);
	await assert.rejects(render("{{ svckv.system.plain | decrypt_kv }}"), /absent or empty/);
});

test("a refused item is an error only where it is used", async () => {
	await assert.rejects(render("{{ svckv.system.refused }}"), /not allowed/);
	assert.equal(await render("{{ svckv.system.refused if svckv.system.none else 'kept' }}"), "kept");
});

test("scopes that do not exist and references without a name are errors", async () => {
	for (const text of ["{{ svckv.global.x }}", "{{ svckv }}", "{{ svckv.system }}", "{{ svckv | tojson }}", "{{ svckv.constructor }}"]) {
		await assert.rejects(render(text), Error, text);
	}
});

test("the number of items and of rounds is bounded", async () => {
	await assert.rejects(render("{% for i in range(5000) %}{{ svckv.system['k' ~ i] }}{% endfor %}"), /1000 datastore items/);
	const endless: DatastoreAccess = { ...createAccess(), lookup: async (_scope, name) => `${name}x` };
	const chain = `${"svckv.system[".repeat(60)}'a'${"]".repeat(60)}`;
	await assert.rejects(render(`{{ ${chain} }}`, endless), /depend on each other/);
});

test.run();
