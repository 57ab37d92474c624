import * as assert from "node:assert/strict";
import { test } from "uvu";
import { renderLive } from "../parameters/render.ts";
import { renderWithLookups } from "../templates/datastore.ts";
import { createExpressions } from "./expressions.ts";

const names = { oldkv: "svckv", old: "svc" };
const datastore = {
	names: ["oldkv"],
	lookup: async (_scope: string, name: string) => `item ${name}`,
	decrypt: async (text: string) => text,
};
const expressions = createExpressions({ datastore, names });

test("functions and variables are known by their other names in both languages, and as variables of chains", async () => {
	const value = ["<% oldkv('system.a') %>", "{{ oldkv('system.a') }}", "<% ctx().old.id %>", "<% ctx(old).id %>", "{{ ctx('old')['id'] }}"];
	const found = await expressions.evaluate(value, { variables: { svc: { id: 7 } } });
	assert.deepEqual(found, ["item a", "item a", 7, 7, 7]);
	const chain = await expressions.evaluate("{{ oldkv.system.a.b }}", { variables: {}, names: {}, language: "jinja" });
	assert.equal(chain, "item a.b");
});

test("all variables together show each once, by its own name, also where some are private", async () => {
	for (const variables of [
		{ svc: { id: 7 }, plant: "fern" },
		{ svc: { id: 7 }, plant: "fern", __hidden: 1 },
	]) {
		assert.deepEqual(await expressions.evaluate(["<% ctx() %>", "<% ctx().old.id %>"], { variables }), [
			{ svc: { id: 7 }, plant: "fern" },
			7,
		]);
	}
});

test("a variable, a function or a parameter that is called so itself is the one that is meant", async () => {
	const scope = { variables: { old: "own", svc: "ours" }, functions: { oldkv: () => "called" } };
	assert.deepEqual(await expressions.evaluate(["<% ctx().old %>", "<% ctx(old) %>", "{{ oldkv('system.a') }}"], scope), [
		"own",
		"own",
		"called",
	]);
	const input = { runnerSchema: {}, actionSchema: { oldkv: {}, text: {} }, context: { action_context: {}, config_context: {} } };
	const render = (given: Record<string, string>) =>
		renderWithLookups(datastore, (items) => renderLive({ ...input, callerValues: given, datastore: items }));
	assert.equal((await render({ oldkv: "own", text: "{{ oldkv }}" }))["text"], "own");
	const { text } = await renderWithLookups(datastore, (items) =>
		renderLive({ ...input, actionSchema: { text: {} }, callerValues: { text: "{{ oldkv.system.a }}" }, datastore: items }),
	);
	assert.equal(text, "item a");
});

test("what is found in a definition is called by this service's names, and an unknown name stays unknown", async () => {
	const [use] = expressions.find("<% oldkv(ctx().old.key) %>");
	assert.deepEqual([use?.functions, use?.variables], [["svckv", "ctx"], ["svc"]]);
	await assert.rejects(
		expressions
			.evaluate("<% oldkv('system.a') %>", { variables: {} })
			.then(() => createExpressions().evaluate("<% oldkv('a') %>", { variables: {} })),
		{
			code: "SVC_INVALID",
		},
	);
	for (const name of ["constructor", "__proto__", "toString"]) {
		await assert.rejects(expressions.evaluate(`{{ ${name}('x') }}`, { variables: {} }), { code: "SVC_INVALID" });
	}
});

test.run();
