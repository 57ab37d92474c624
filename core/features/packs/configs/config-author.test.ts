// test-suite: full
import * as assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { stringify } from "yaml";
import { defineRunner } from "../../../contract/index.ts";
import { type GuardedService, withGuardedService } from "../../../testing/http/guarded-service.test-support.ts";

/** Its result is the configuration that it was given. */
const show = defineRunner("show", () => ({
	description: "Shows its configuration.",
	capabilities: {},
	parameters: {},
	run: async ({ packConfig }) => ({ succeeded: true, result: packConfig }),
}));
const packs = {
	"disk/pack.yaml": stringify({ ref: "disk", name: "disk", description: "Disks.", version: "1.0.0", author: "a" }),
	"disk/config.schema.yaml": stringify({
		host: { type: "string", default: "{{ svckv.system.host }}" },
		text: { type: "string" },
		pin: { type: "string", secret: true },
	}),
	"disk/actions/shown.yaml": stringify({ name: "shown", runner_type: "show" }),
};
const on = (resource_uid: string, ...permission_types: string[]) => ({ resource_uid, permission_types });
const rbac = {
	roles: [
		{ name: "configurer", permission_grants: [{ permission_types: ["pack_config"] }, on("pack:disk", "pack_view")] },
		{ name: "reader", permission_grants: [on("key_value_pair:svckv.system:limit", "key_value_pair_view")] },
		{ name: "runner", permission_grants: [on("action:disk:shown", "action_execute", "action_view")] },
	],
	assignments: [
		{ username: "mal", roles: ["configurer"] },
		{ username: "obs", roles: ["configurer", "observer"] },
		{ username: "ann", roles: ["configurer", "reader"] },
		{ username: "run", roles: ["runner"] },
	],
};

interface Configured extends GuardedService {
	/** Replace the configuration of `disk`: the status. */
	set(user: string, values: object): Promise<number>;
	/** The configuration that a run of this user gets, or why there is none. */
	used(user: string): Promise<string>;
	readonly file: string;
}

function withConfig(test: (service: Configured) => Promise<void>): Promise<void> {
	return withGuardedService(
		async (service) => {
			const { ask, signIn, directory } = service;
			const root = await signIn("root");
			for (const name of ["limit", "host"])
				await ask(root, "PUT", `/v1/keys/${name}`, { name, value: `${name}-of-the-system`, secret: name === "limit" });
			await ask(root, "PUT", "/v1/keys/note", { name: "note", value: "note-of-root", scope: "user" });
			await test({
				...service,
				set: async (user, values) => (await ask(await signIn(user), "PUT", "/v1/configs/disk", values)).status,
				async used(user) {
					const { status, body } = await ask(await signIn(user), "POST", "/v1/executions", { action: "disk.shown" });
					assert.equal(status, 201, JSON.stringify(body));
					for (;;) {
						const { body: now } = await ask(root, "GET", `/v1/executions/${String(body["id"])}?show_secrets=true`);
						if (["succeeded", "failed"].includes(String(now["status"]))) return JSON.stringify(now["result"]);
						await new Promise((resolve) => setTimeout(resolve, 5));
					}
				},
				file: join(directory, "data", "configs", "disk.yaml"),
			});
		},
		{ rbac, packs, runners: [show()] },
	);
}

test("templates of a configuration are rendered with the permissions of its author, and those of the pack with the site's", () =>
	withConfig(async ({ set, used, file }) => {
		const secret = { pin: "{{ svckv.system.limit }}" };
		for (const user of ["mal", "obs"]) {
			assert.equal(await set(user, secret), 200);
			assert.doesNotMatch(await used("root"), /limit-of-the-system/);
			assert.match(await used("root"), /cannot be rendered/);
		}
		assert.equal(await set("mal", { text: "{{ svckv.user.note }}" }), 200);
		assert.doesNotMatch(await used("root"), /note-of-root/);

		// The default of the schema is not theirs, and works although they may not read what it reads.
		assert.equal(await set("mal", { text: "plain" }), 200);
		assert.match(await used("run"), /"host":"host-of-the-system".*"text":"plain"|"text":"plain".*"host":"host-of-the-system"/);

		// Somebody who may read the item has written it, for users who may not.
		assert.equal(await set("ann", secret), 200);
		assert.match(await used("run"), /"pin":"limit-of-the-system"/);
		// To send it back as it was shown is not to write it.
		assert.equal(await set("mal", { pin: "********" }), 200);
		assert.match(await used("run"), /"pin":"limit-of-the-system"/);

		const [first] = (await readFile(file, "utf8")).split("\n");
		assert.match(String(first), /^# .*\{"author":"ann"\}$/);
	}));

test("a configuration that a key with scopes wrote reads within these scopes, and no other user's items", () =>
	withConfig(async ({ used, ask, signIn, urls }) => {
		const root = await signIn("root");
		await ask(await signIn("run"), "PUT", "/v1/keys/note", { name: "note", value: "note-of-run", scope: "user" });
		const set = async (scopes: readonly string[], values: object) => {
			const key = String((await ask(root, "POST", "/v1/apikeys", { scopes })).body["key"]);
			const headers = { "svc-api-key": key, "content-type": "application/json" };
			return (await fetch(`${urls.api}/v1/configs/disk`, { method: "PUT", headers, body: JSON.stringify(values) })).status;
		};
		const own = { text: "{{ svckv.user.note }}" };
		assert.equal(await set(["pack_config"], own), 200);
		for (const user of ["root", "run"]) assert.doesNotMatch(await used(user), /note-of-/);
		assert.equal(await set(["pack_config", "key_value_pair_view"], { ...own, host: "a" }), 200);
		assert.match(await used("root"), /note-of-root/);
		assert.doesNotMatch(await used("run"), /note-of-run/);
		assert.equal((await ask(root, "PUT", "/v1/configs/disk", { ...own, host: "other" })).status, 200);
		assert.match(await used("run"), /note-of-run/);
	}));

test("a file that is written by hand is the site's", () =>
	withConfig(async ({ used, file }) => {
		await mkdir(join(file, ".."), { recursive: true });
		await writeFile(file, stringify({ pin: "{{ svckv.system.limit }}" }));
		// Files are looked at again after a second.
		while (!(await used("run")).includes("limit-of-the-system"));
		assert.match(await used("run"), /"host":"host-of-the-system"/);
	}));

test("only administrators keep a masked secret and change what stands beside it", () =>
	withConfig(async ({ set, used }) => {
		assert.equal(await set("root", { pin: "a hidden pin", host: "good" }), 200);
		assert.equal(await set("mal", { pin: "********", host: "evil" }), 400);
		assert.match(await used("root"), /"host":"good"/);
		assert.equal(await set("mal", { pin: "********", host: "good" }), 200);
		assert.equal(await set("root", { pin: "********", host: "better" }), 200);
		assert.match(await used("root"), /a hidden pin/);
		assert.equal(await set("mal", { pin: "a pin of their own", host: "evil" }), 200);
	}));

test.run();
