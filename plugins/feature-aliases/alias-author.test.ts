import * as assert from "node:assert/strict";
import { test } from "uvu";
import { stringify } from "yaml";
import { defineRunner, type Storage } from "../../core/contract/index.ts";
import { type GuardedService, withGuardedService } from "../../core/testing/http/guarded-service.test-support.ts";

/** Its result is the parameters that it was given. */
const tell = defineRunner("tell", () => ({
	description: "Tells what it was given.",
	capabilities: {},
	parameters: {},
	run: async ({ actionParameters }) => ({ succeeded: true, result: actionParameters }),
}));
const packs = {
	"disk/pack.yaml": stringify({ ref: "disk", name: "disk", description: "Disks.", version: "1.0.0", author: "a" }),
	"disk/config.schema.yaml": stringify({ pin: { type: "string", secret: true, default: "pin-of-the-pack" } }),
	"disk/actions/told.yaml": stringify({
		name: "told",
		runner_type: "tell",
		parameters: { text: { type: "string" }, more: { type: "string" }, own: { type: "string", default: "{{ svckv.system.limit }}" } },
	}),
	"disk/aliases/packed.yaml": stringify({
		name: "packed",
		action_ref: "disk.told",
		formats: ["packed"],
		immutable_parameters: { text: "{{ config_context.pin }}" },
	}),
};
const on = (resource_uid: string, ...permission_types: string[]) => ({ resource_uid, permission_types });
const rbac = {
	roles: [
		{
			name: "writer",
			permission_grants: [on("pack:default", "action_alias_all"), on("action:disk:told", "action_execute", "action_view")],
		},
		{ name: "switcher", permission_grants: [on("pack:default", "action_alias_modify")] },
		{ name: "reader", permission_grants: [on("key_value_pair:svckv.system:limit", "key_value_pair_view")] },
		{ name: "speaker", permission_grants: [on("action:disk:told", "action_execute", "action_view")] },
	],
	assignments: [
		{ username: "mal", roles: ["writer"] },
		{ username: "ann", roles: ["writer", "reader"] },
		{ username: "sam", roles: ["switcher"] },
		{ username: "spy", roles: ["speaker", "reader"] },
	],
};

const alias = (name: string, immutable_parameters: object, more: object = {}) => ({
	...{ name, pack: "default", action_ref: "disk.told", formats: [name, `${name} {{ more }}`], immutable_parameters, ...more },
});

interface Chats extends GuardedService {
	/** Say a command as a user: the parameters of what it has started, or why it was refused. */
	say(user: string, command: string): Promise<string>;
	put(user: string, body: { readonly name: string }): Promise<number>;
	post(user: string, body: object): Promise<number>;
	/** Makes an alias one of an earlier version, which kept no author. */
	forgetAuthor(ref: string): Promise<void>;
}

function withChats(run: (service: Chats) => Promise<void>): Promise<void> {
	let storage: Storage | undefined;
	return withGuardedService(
		async (service) => {
			const { ask, signIn } = service;
			const root = await signIn("root");
			await ask(root, "PUT", "/v1/keys/limit", { name: "limit", value: "limit-of-the-system" });
			await ask(root, "PUT", "/v1/keys/note", { name: "note", value: "note-of-root", scope: "user" });
			await run({
				...service,
				async say(user, command) {
					const token = await signIn(user);
					const { status, body } = await ask(token, "POST", "/v1/aliasexecution/match_and_execute", { command, source_channel: "ops" });
					if (status !== 201) return `${status} ${String(body["faultstring"])}`;
					const [{ execution }] = body["results"] as [{ readonly execution: { readonly id: string } }];
					return JSON.stringify((await ask(root, "GET", `/v1/executions/${execution.id}?show_secrets=true`)).body["parameters"]);
				},
				post: async (user, body) => (await ask(await signIn(user), "POST", "/v1/actionalias", body)).status,
				async forgetAuthor(ref) {
					const [found] = (await storage?.find("action_alias", { where: { ref }, limit: 1 })) ?? [];
					await storage?.update("action_alias", String(found?.id), { author: null, scopes: null });
				},
				put: async (user, body) => (await ask(await signIn(user), "PUT", `/v1/actionalias/default.${body.name}`, body)).status,
			});
		},
		{ rbac, packs, runners: [tell()], storage: (plugin) => ({ ...plugin, create: () => (storage = plugin.create()) }) },
	);
}

test("an alias takes the permission to run its action", () =>
	withChats(async ({ post, put, ask, signIn }) => {
		assert.equal(await post("mal", alias("a", {}, { action_ref: "default.speak" })), 403);
		assert.equal(await post("mal", alias("a", {})), 201);
		assert.equal(await put("mal", alias("a", {}, { action_ref: "default.speak" })), 403);
		assert.equal(await put("mal", alias("a", {}, { description: "other" })), 200);
		assert.equal(await put("sam", alias("a", {}, { description: "more" })), 403);

		// To switch it is not to write it: its author stays.
		const sam = await signIn("sam");
		const { body } = await ask(sam, "GET", "/v1/actionalias/default.a");
		assert.equal(body["author"], "mal");
		const off = await ask(sam, "PUT", "/v1/actionalias/default.a", { ...body, enabled: false });
		assert.deepEqual([off.status, off.body["enabled"], off.body["author"]], [200, false, "mal"]);
	}));

test("templates of an alias are rendered with the permissions of its author, whoever says it", () =>
	withChats(async ({ post, put, say }) => {
		const templates = {
			item: "{{ svckv.system.limit }}",
			own: "{{ svckv.user.note }}",
			config: "{{ config_context.pin }}",
			plain: "said: {{ more }}",
		};
		for (const [name, text] of Object.entries(templates)) assert.equal(await post("mal", alias(name, { text })), 201);

		assert.match(await say("root", "item"), /^(?!.*limit-of-the-system).*"mal" does not have the permission "key_value_pair_view"/);
		assert.match(await say("root", "own"), /^40[03] (?!.*note-of-root)/);
		assert.doesNotMatch(await say("root", "config"), /pin-of-the-pack/);
		// What is nobody's secret, and what the action itself reads, goes on as before.
		assert.match(await say("root", "plain all of it"), /"text":"said: all of it".*limit-of-the-system/);

		// Somebody who may read it has written it, for speakers who may not.
		assert.equal(await put("ann", alias("item", { text: templates.item })), 200);
		assert.match(await say("spy", "item"), /"text":"limit-of-the-system"/);
		assert.equal(await put("root", alias("config", { text: templates.config })), 200);
		assert.match(await say("spy", "config"), /"text":"pin-of-the-pack"/);
		assert.match(await say("spy", "packed"), /"text":"pin-of-the-pack"/);
	}));

test("an alias of an earlier version, without an author, reads with the permissions of the account that says it", () =>
	withChats(async ({ post, say, forgetAuthor, ask, signIn }) => {
		await ask(await signIn("root"), "PUT", "/v1/keys/other", { name: "other", value: "other-of-the-system" });
		const templates = { item: "{{ svckv.system.limit }}", other: "{{ svckv.system.other }}", config: "{{ config_context.pin }}" };
		for (const [name, text] of Object.entries(templates)) assert.equal(await post("root", alias(name, { text })), 201);
		assert.match(await say("spy", "other"), /"text":"other-of-the-system"/);
		for (const name of Object.keys(templates)) await forgetAuthor(`default.${name}`);
		assert.match(await say("spy", "other"), /^(?!.*other-of-the-system).*"spy" does not have the permission "key_value_pair_view"/);
		assert.doesNotMatch(await say("spy", "config"), /pin-of-the-pack/);
		assert.match(await say("spy", "item"), /"text":"limit-of-the-system"/);
	}));

test("an alias that a key with scopes wrote reads within these scopes", () =>
	withChats(async ({ say, put, ask, signIn, urls }) => {
		const root = await signIn("root");
		const send = async (scopes: readonly string[], method: string, path: string, body: object) => {
			const key = String((await ask(root, "POST", "/v1/apikeys", { scopes })).body["key"]);
			const headers = { "svc-api-key": key, "content-type": "application/json" };
			const response = await fetch(`${urls.api}/v1${path}`, { method, headers, body: JSON.stringify(body) });
			return { status: response.status, body: (await response.json()) as object };
		};
		const writing = ["action_alias_create", "action_alias_modify"];
		const item = (name: string) => alias(name, { text: "{{ svckv.system.limit }}" });
		const config = (name: string) => alias(name, { text: "{{ config_context.pin }}" });
		assert.equal((await send(writing, "POST", "/actionalias", item("narrow"))).status, 403);
		const made = await send([...writing, "action_execute"], "POST", "/actionalias", item("narrow"));
		assert.equal(made.status, 201);
		assert.ok(!("scopes" in made.body));
		assert.match(await say("root", "narrow"), /^(?!.*limit-of-the-system).*"root" does not have the permission "key_value_pair_view"/);
		await send([...writing, "action_execute"], "POST", "/actionalias", config("secretive"));
		assert.doesNotMatch(await say("root", "secretive"), /pin-of-the-pack/);
		assert.equal((await send([...writing, "action_execute"], "POST", "/actionalias", { ...item("x"), scopes: null })).status, 400);

		await send([...writing, "action_execute", "key_value_pair_view"], "POST", "/actionalias", item("wide"));
		assert.match(await say("spy", "wide"), /"text":"limit-of-the-system"/);
		assert.equal(await put("root", { ...item("narrow"), description: "mine" } as { name: string }), 200);
		assert.match(await say("spy", "narrow"), /"text":"limit-of-the-system"/);
	}));

test.run();
