import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { GuardedService } from "../../core/testing/http/guarded-service.test-support.ts";
import { type Ask, sweep, withAliasService } from "./aliases.test-support.ts";

const withAliases = (name: string, run: (ask: Ask, service: GuardedService) => Promise<void>) => test(name, () => withAliasService(run));
const refsOf = (body: unknown) => (body as { readonly ref: string }[]).map(({ ref }) => ref);
const other = { name: "other", action_ref: "disk.sweep", formats: ["sweep {{ volume }} now", "other"] };

withAliases("the record of an alias has the members of the reference, and comes of a file of its pack", async (ask) => {
	const { id, ...rest } = (await ask("GET", "/actionalias/disk.sweep")).body;
	assert.match(String(id), /^[0-9a-f]{24}$/);
	assert.deepEqual(rest, {
		...sweep,
		uid: "action_alias:disk:sweep",
		ref: "disk.sweep",
		enabled: true,
		extra: {},
		immutable_parameters: {},
		metadata_file: "aliases/sweep.yaml",
		author: "svc",
	});
	assert.deepEqual((await ask("GET", `/actionalias/${String(id)}`)).body, { id, ...rest });
});

withAliases("a record that is sent back with a member changed is taken", async (ask) => {
	const { status, body } = await ask("POST", "/actionalias", other);
	assert.deepEqual([status, body["ref"], body["enabled"]], [201, "default.other", true]);
	const changed = await ask("PUT", `/actionalias/${String(body["id"])}`, { ...body, enabled: false, formats: ["other {{ note }}"] });
	assert.deepEqual([changed.status, changed.body], [200, { ...body, enabled: false, formats: ["other {{ note }}"] }]);
	assert.equal((await ask("POST", "/actionalias", other)).status, 409);
	assert.equal((await ask("DELETE", "/actionalias/default.other")).status, 204);
	for (const method of ["PUT", "DELETE"]) assert.equal((await ask(method, "/actionalias/default.other", other)).status, 404);
});

withAliases("lists are chosen by name and pack, sorted, paged and counted", async (ask, { urls, signIn }) => {
	for (const name of ["a", "b", "helpful", "matches"]) await ask("POST", "/actionalias", { ...other, name });
	assert.deepEqual(refsOf((await ask("GET", "/actionalias")).body), [
		"default.a",
		"default.b",
		"default.helpful",
		"default.matches",
		"disk.sweep",
	]);
	assert.deepEqual(refsOf((await ask("GET", "/actionalias?pack=default&name=b,sweep")).body), ["default.b"]);
	assert.deepEqual(refsOf((await ask("GET", "/actionalias?sort=-name&limit=2")).body), ["disk.sweep", "default.matches"]);
	assert.deepEqual((await ask("GET", "/actionalias?name=a&include_attributes=enabled")).body, [
		{ id: (await ask("GET", "/actionalias/default.a")).body["id"], ref: "default.a", enabled: true },
	]);
	const page = await fetch(`${urls.api}/v1/actionalias?limit=1&offset=1`, { headers: { "x-auth-token": await signIn("root") } });
	assert.deepEqual([page.headers.get("x-total-count"), page.headers.get("x-limit"), refsOf(await page.json())], ["5", "1", ["default.b"]]);
	// Names that begin like the addresses beside them are names.
	assert.equal((await ask("GET", "/actionalias/default.helpful")).status, 200);
});

withAliases("what an alias cannot say is refused and named", async (ask) => {
	const cases: readonly (readonly [body: object, names: RegExp])[] = [
		[{ ...other, name: undefined }, /name: is a required property/],
		[{ ...other, formats: [] }, /formats: must contain at least one format/],
		[{ ...other, formats: ["run {{ cmd"] }, /formats\[0\]: ".*" has no closing }}/],
		[
			{ ...other, formats: ["ok", { display: "x", representation: ["ok", "run ("] }] },
			/formats\[1\]\.representation\[1\]: must be a regular expression/,
		],
		[{ ...other, formats: [{ display: "x", other: 1 }] }, /formats\.0\.other: is not allowed here/],
		[{ ...other, formats: Array.from({ length: 201 }, () => "x") }, /formats: must contain at most 200 formats in total, got 201/],
		[{ ...other, action_ref: "nothing" }, /action_ref: "nothing" must be <pack>\.<action>/],
		[{ ...other, ack: { text: "x" } }, /ack\.text: is not allowed here/],
		[{ ...other, colour: "red" }, /colour: is not allowed here/],
		[{ ...other, pack: "core" }, /system pack "core"/],
		[{ ...other, name: "ä" }, /name: "ä" must consist of/],
		[{ ...other, immutable_parameters: { pin: "********" } }, /immutable_parameters\.pin: .* no value is stored here/],
	];
	for (const [body, names] of cases) {
		const answer = await ask("POST", "/actionalias", body);
		assert.equal(answer.status, 400, JSON.stringify(body));
		assert.match(String(answer.body["faultstring"]), names);
	}
});

withAliases("a fixed value for a secret parameter is shown to nobody who does not ask, and kept by a record sent back", async (ask) => {
	const body = { ...other, immutable_parameters: { pin: "a secret pin", depth: 3 } };
	const made = (await ask("POST", "/actionalias", body)).body;
	assert.deepEqual(made["immutable_parameters"], { pin: "********", depth: 3 });
	await ask("PUT", "/actionalias/default.other", { ...made, description: "changed" });
	const shown = await ask("GET", "/actionalias/default.other?show_secrets=true");
	assert.deepEqual([shown.body["description"], shown.body["immutable_parameters"]], ["changed", { pin: "a secret pin", depth: 3 }]);
	// Another action might show it.
	assert.equal((await ask("PUT", "/actionalias/default.other", { ...made, action_ref: "default.speak" })).status, 400);
});

withAliases("a command finds its alias, and all that it fits are named where it fits several", async (ask) => {
	const match = (command: string) => ask("POST", "/actionalias/match", { command });
	const found = await match("clean /data");
	assert.deepEqual([found.status, found.body["display"], found.body["representation"]], [200, "sweep <volume>", "clean {{ volume }}"]);
	assert.equal((found.body["actionalias"] as { ref: string }).ref, "disk.sweep");
	const none = await match("mop /data");
	assert.deepEqual([none.status, none.body["faultstring"]], [400, 'command: "mop /data" matches no action alias']);
	await ask("POST", "/actionalias", other);
	const several = await match("sweep /data now");
	assert.equal(several.status, 400);
	assert.match(String(several.body["faultstring"]), /matches 2 action aliases \(default\.other, disk\.sweep\)/);
	await ask("POST", "/actionalias", {
		...other,
		name: "many",
		formats: [{ display: "", representation: ["(?<volume>/\\w+)"], match_multiple: true }],
	});
	assert.equal(((await match("sweep /data")).body["actionalias"] as { ref: string }).ref, "disk.sweep");
	assert.equal(((await match("what of /data and /home?")).body["actionalias"] as { ref: string }).ref, "default.many");
	const slow = { ...other, name: "slow", formats: ["(a+)+b"] };
	await ask("POST", "/actionalias", slow);
	assert.match(
		String((await match("a".repeat(60))).body["faultstring"]),
		/matches no action alias; matching 1 of them took too long \(default\.slow\)/,
	);
});

withAliases("the help lists what may be written", async (ask, { ask: askAs, signIn }) => {
	await ask("POST", "/actionalias", { ...other, name: "off", enabled: false });
	const line = (display: string) => ({ pack: "disk", display, description: "Free space" });
	const all = [line("sweep <volume>"), line("tidy {{ volume=/ }}")];
	assert.deepEqual((await ask("GET", "/actionalias/help")).body, { available: 2, helpstrings: all });
	assert.deepEqual((await ask("GET", "/actionalias/help?limit=1&offset=1")).body, { available: 2, helpstrings: all.slice(1) });
	assert.deepEqual((await ask("GET", "/actionalias/help?filter=^SWEEP")).body, { available: 1, helpstrings: all.slice(0, 1) });
	assert.deepEqual((await ask("GET", "/actionalias/help?pack=default")).body, { available: 0, helpstrings: [] });
	assert.equal((await ask("GET", "/actionalias/help?filter=(")).status, 400);
	assert.equal((await ask("GET", "/actionalias/help?limit=x")).status, 400);
	const hal = await signIn("hal");
	assert.equal((await askAs(hal, "GET", "/v1/actionalias/help")).status, 200);
	assert.equal((await askAs(hal, "GET", "/v1/actionalias")).status, 403);
});

test.run();
