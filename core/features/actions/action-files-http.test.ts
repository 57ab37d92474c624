import * as assert from "node:assert/strict";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import { localScript } from "../../../plugins-runner/local-script/index.ts";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const manifest = (ref: string) => `ref: ${ref}\nname: ${ref}\ndescription: A pack.\nversion: 1.0.0\nauthor: somebody\n`;
const script = (name: string) => `name: ${name}\nrunner_type: local-shell-script\nentry_point: ${name}.sh\n`;
const files = {
	"site/pack.yaml": manifest("site"),
	"site/config.schema.yaml": "{}\n",
	"site/actions/mine.yaml": script("mine"),
	"site/actions/mine.sh": "#!/bin/sh\necho mine\n",
	"site/actions/other.yaml": script("other"),
	"site/actions/other.sh": "#!/bin/sh\necho other\n",
	"site/actions/helper.sh": "#!/bin/sh\necho helper\n",
	"site/actions/lib/shared.sh": "echo shared\n",
	"far/pack.yaml": manifest("far"),
	"far/actions/far.sh": "#!/bin/sh\necho far\n",
};
const rbac = {
	roles: [
		...(["modify", "delete"] as const).map((verb) => ({
			name: verb,
			permission_grants: [{ resource_uid: "action:site:mine", permission_types: [`action_${verb}` as const] }],
		})),
		{
			name: "maker",
			permission_grants: ["mine", "fresh", "other", "helper", "lib"].map((name) => ({
				resource_uid: `action:site:${name}`,
				permission_types: ["action_create" as const, "action_view" as const],
			})),
		},
		{ name: "keeper", permission_grants: [{ resource_uid: "pack:site", permission_types: ["action_all" as const] }] },
	],
	assignments: [
		{ username: "eve", roles: ["modify", "delete"] },
		{ username: "mallory", roles: ["maker"] },
		{ username: "kim", roles: ["keeper"] },
	],
};

interface Site {
	readonly service: GuardedService;
	/** Directory of the pack. */
	readonly site: string;
	/** Status of a request as somebody. */
	send(username: string, method: string, path: string, body?: object): Promise<number>;
	read(path: string): string;
}

const withSite = (run: (site: Site) => Promise<void>) =>
	withGuardedService(
		async (service) => {
			const site = join(service.packs, "site");
			const tokens = new Map<string, string>();
			await run({
				service,
				site,
				async send(username, method, path, body) {
					const token = tokens.get(username) ?? (await service.signIn(username));
					tokens.set(username, token);
					return (await service.ask(token, method, path, body)).status;
				},
				read: (path) => readFileSync(join(site, path), "utf8"),
			});
		},
		{ rbac, runners: [localScript()], packs: files },
	);

const mine = { name: "mine", pack: "site", runner_type: "local-shell-script", entry_point: "mine.sh", metadata_file: "actions/mine.yaml" };
const data = (file_path: string, content = "#!/bin/sh\necho evil\n") => ({ data_files: [{ file_path, content }] });

test("who may change one action writes its entry point, and no other file of the pack", () =>
	withSite(async ({ send, read, site }) => {
		const foreign = [
			"other.sh",
			"other.yaml",
			"mine.yaml",
			"helper.sh",
			"lib/shared.sh",
			"lib/json.py",
			"new.sh",
			"new.yaml",
			"./x/../other.sh",
		];
		for (const path of foreign) {
			assert.equal(await send("eve", "PUT", "/v1/actions/site.mine", { ...mine, ...data(path) }), 403, path);
			// The other action's file named as one's own first.
			if (path !== "mine.yaml") {
				const named = { ...mine, entry_point: path };
				assert.equal(await send("eve", "PUT", "/v1/actions/site.mine", { ...named, ...data(path) }), 403, path);
				assert.equal(await send("eve", "PUT", "/v1/actions/site.mine", named), 403, path);
			}
		}
		for (const path of foreign.slice(0, 5))
			assert.equal(read(`actions/${path}`), files[`site/actions/${path}` as keyof typeof files], path);
		assert.ok(!existsSync(join(site, "actions/new.sh")) && !existsSync(join(site, "actions/lib/json.py")));
		assert.equal(await send("eve", "PUT", "/v1/actions/site.mine", { ...mine, ...data("mine.sh", "#!/bin/sh\necho better\n") }), 200);
		assert.equal(read("actions/mine.sh"), "#!/bin/sh\necho better\n");
		assert.equal(lstatSync(join(site, "actions/mine.sh")).mode & 0o111, 0o111);
		assert.equal(await send("eve", "PUT", "/v1/actions/site.mine", { ...mine, entry_point: "mine.py", ...data("mine.py") }), 200);
		assert.equal(await send("kim", "PUT", "/v1/actions/site.mine", { ...mine, ...data("other.sh", "by kim") }), 200);
		assert.equal(await send("kim", "PUT", "/v1/actions/site.mine", { ...mine, ...data("lib/more/new.sh", "by kim") }), 200);
		assert.deepEqual([read("actions/other.sh"), read("actions/lib/more/new.sh")], ["by kim", "by kim"]);
	}));

test("who may make one action writes what has its name and is not there, also where the request fails later", () =>
	withSite(async ({ send, read }) => {
		const make = (name: string, more: object) =>
			send("mallory", "POST", "/v1/actions", { name, pack: "site", runner_type: "local-shell-script", ...more });
		// The action exists: 409 would come too late.
		assert.equal(await make("other", { entry_point: "other.sh", ...data("other.sh") }), 403);
		assert.equal(await make("helper", { entry_point: "helper.sh", ...data("helper.sh") }), 403);
		assert.equal(await make("helper", { entry_point: "helper.sh" }), 403);
		assert.equal(await make("lib", { entry_point: "lib/lib.py", ...data("lib/lib.py") }), 403);
		assert.equal(await make("fresh", { entry_point: "fresh.sh", ...data("other.sh") }), 403);
		assert.equal(await send("mallory", "POST", "/v1/actions/site.mine/clone", { dest_pack: "site", dest_action: "helper" }), 403);
		assert.equal(read("actions/other.sh"), files["site/actions/other.sh"]);
		assert.equal(read("actions/helper.sh"), files["site/actions/helper.sh"]);
		assert.equal(await make("fresh", { entry_point: "fresh.sh", ...data("fresh.sh") }), 201);
		assert.equal(await send("kim", "POST", "/v1/actions", { ...mine, name: "helper", entry_point: "helper.sh", metadata_file: "" }), 201);
		assert.equal(await send("kim", "POST", "/v1/actions/site.mine/clone", { dest_pack: "site", dest_action: "copy" }), 201);
		assert.deepEqual([read("actions/copy.sh"), /name: copy/.test(read("actions/copy.yaml"))], [files["site/actions/mine.sh"], true]);
	}));

test("who may delete one action removes its files, and metadata lies in actions only", () =>
	withSite(async ({ send, site, service }) => {
		for (const metadata_file of [
			"pack.yaml",
			"actions/../pack.yaml",
			"config.schema.yaml",
			"actions/lib/shared.sh",
			"actions/helper.sh",
			"actions/x/y.yaml",
		]) {
			for (const username of ["eve", "kim"]) {
				assert.equal(await send(username, "PUT", "/v1/actions/site.mine", { ...mine, metadata_file }), 400, metadata_file);
			}
		}
		assert.equal(await send("eve", "PUT", "/v1/actions/site.mine", { ...mine, metadata_file: "actions/other.yaml" }), 403);
		// One that shares its script with another action.
		const sharing = { ...mine, name: "sharing", entry_point: "other.sh", metadata_file: "" };
		assert.equal(await send("kim", "POST", "/v1/actions", sharing), 201);
		assert.equal(await send("root", "PUT", "/v1/actions/site.mine", { ...mine, entry_point: "other.sh" }), 200);
		assert.equal(await send("eve", "DELETE", "/v1/actions/site.mine", { remove_files: true }), 403);
		assert.ok(existsSync(join(site, "actions/other.sh")) && existsSync(join(site, "actions/mine.yaml")));
		assert.equal(await send("root", "PUT", "/v1/actions/site.mine", mine), 200);
		assert.equal(await send("eve", "DELETE", "/v1/actions/site.mine", { remove_files: true }), 204);
		assert.ok(!existsSync(join(site, "actions/mine.sh")) && !existsSync(join(site, "actions/mine.yaml")));
		assert.ok(existsSync(join(site, "actions/other.sh")) && existsSync(join(service.packs, "far/actions/far.sh")));
	}));

test("no link is followed, neither for writing nor for removing", () =>
	withSite(async ({ send, site, service }) => {
		const outside = join(service.packs, "outside");
		mkdirSync(outside);
		const actions = join(site, "actions");
		symlinkSync(outside, join(actions, "folder"));
		symlinkSync(join(outside, "made"), join(actions, "dangling.sh"));
		symlinkSync(join(service.packs, "far/actions/far.sh"), join(actions, "linked.sh"));
		const put = (username: string, more: object) => send(username, "PUT", "/v1/actions/site.mine", { ...mine, ...more });
		for (const path of [
			"folder/x.sh",
			"folder/deep/x.sh",
			"dangling.sh",
			"linked.sh",
			"lib",
			"mine.sh/x",
			"../rules/x.yaml",
			"../../far/actions/far.sh",
		]) {
			assert.equal(await put("kim", data(path)), 400, path);
		}
		for (const entry_point of ["linked.sh", "dangling.sh", "../../far/actions/far.sh", "/etc/passwd"]) {
			assert.equal(await put("kim", { entry_point }), 400, entry_point);
		}
		assert.deepEqual(
			[existsSync(join(outside, "made")), existsSync(join(outside, "x.sh")), existsSync(join(outside, "deep"))],
			[false, false, false],
		);
		assert.equal(readFileSync(join(service.packs, "far/actions/far.sh"), "utf8"), files["far/actions/far.sh"]);
		// A folder that becomes a link after the action was made.
		assert.equal(await put("kim", { entry_point: "sub/run.sh", ...data("sub/run.sh") }), 200);
		rmSync(join(actions, "sub"), { recursive: true });
		symlinkSync(join(service.packs, "far/actions"), join(actions, "sub"));
		symlinkSync("far.sh", join(service.packs, "far/actions/run.sh"));
		assert.equal(await put("kim", { entry_point: "sub/run.sh", ...data("sub/run.sh") }), 400);
		assert.equal(await send("kim", "DELETE", "/v1/actions/site.mine", { remove_files: true }), 400);
		assert.ok(lstatSync(join(service.packs, "far/actions/run.sh")).isSymbolicLink());
		assert.equal(readFileSync(join(service.packs, "far/actions/far.sh"), "utf8"), files["far/actions/far.sh"]);
	}));

test.run();
