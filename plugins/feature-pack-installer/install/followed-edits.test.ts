// test-suite: full
import "../../../core/testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { Readable } from "node:stream";
import { test } from "uvu";
import type { Storage } from "../../../core/contract/index.ts";
import { assertNotFollowed } from "../../../core/features/packs/followed-pack-guard-exports.ts";
import { CapturedText } from "../../../core/testing/cli/captured-text.test-support.ts";
import { until } from "../../../core/testing/guarantees/until.test-support.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "../../../core/testing/http/service.test-support.ts";
import { runSvc } from "../../_shipped/run-svc.ts";
import { SourceBench } from "../sources/pack-fetcher.test-support.ts";

interface Subject extends ServiceUnderTest {
	readonly bench: SourceBench;
	/** Where the pack `disk` is followed. */
	readonly git: string;
	send(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly record: WireRecord }>;
	/** Commit the pack; the commit. */
	commit(version: string): string;
	/** Have the service look at the repository now. */
	push(): Promise<void>;
	/** What is known of following it. */
	followed(): Promise<WireRecord>;
}

const rule = {
	name: "watch",
	trigger: { type: "disk.alert" },
	action: { ref: "disk.sweep", parameters: { lines: ["a"], pin: "a-secret-pin" } },
};
const policy = { name: "few", pack: "disk", resource_ref: "disk.sweep", policy_type: "action.concurrency", parameters: { threshold: 3 } };
const alias = { name: "sweep", action_ref: "disk.sweep", formats: ["sweep {{lines}}"] };
const files = {
	"actions/sweep.yaml": { name: "sweep", runner_type: "speak" },
	"triggers/alert.yaml": { name: "alert", payload_schema: { type: "object" } },
	"rules/watch.yaml": { ...rule, enabled: true },
	"policies/few.yaml": { ...policy, enabled: true },
	"aliases/sweep.yaml": alias,
	"config.schema.yaml": { level: { type: "integer" } },
};

async function withFollowed(use: (subject: Subject) => Promise<void>): Promise<void> {
	const bench = new SourceBench();
	const git = `file://${bench.root}/disk/.git`.replaceAll(" ", "%20");
	const commit = (version: string) => {
		bench.write("disk/pack.yaml", `ref: disk\nname: disk\ndescription: d\nversion: ${version}\nauthor: a\n`);
		for (const [path, value] of Object.entries(files)) bench.write(`disk/${path}`, JSON.stringify({ description: version, ...value }));
		bench.write("disk/config.schema.yaml", JSON.stringify(files["config.schema.yaml"]));
		return bench.commit("disk", version);
	};
	commit("1.0.0");
	const secret = "what only the sender knows";
	const webhook = { url: "packs/pushed", signature: { scheme: "github", secret_keys: ["packs_hook"] } };
	let pushes = 0;
	try {
		await withService(
			async (service) => {
				const send: Subject["send"] = async (method, path, body) => {
					const answer = await service.ask(`/v1${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
					return { status: answer.status, record: JSON.parse((await answer.text()) || "{}") as WireRecord };
				};
				assert.equal((await send("PUT", "/keys/packs_hook", { name: "packs_hook", value: secret, secret: true })).status, 200);
				const push = async () => {
					const body = '{"ref": "refs/heads/main"}';
					const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
					const headers = { "x-github-delivery": String(pushes++), "x-hub-signature-256": signature };
					assert.equal((await service.ask("/v1/webhooks/packs/pushed", { method: "POST", body, headers })).status, 202);
				};
				const followed = async () => ((await send("GET", "/packs/views/followed")).record as unknown as readonly WireRecord[])[0] ?? {};
				await until("the pack is installed", 30, async () => (await followed())["state"] === "installed" || undefined);
				await use({ ...service, bench, git, commit, send, push, followed });
			},
			// Only a push has it look again, as waiting for the interval takes five seconds each time.
			{ packs: [{ git, interval: 86_400, webhook }] },
		);
	} finally {
		bench.remove();
	}
}

test("content of a pack that is followed is changed in git only: over the API that is refused, and told where", () =>
	withFollowed(async ({ send, git, storage }) => {
		const kinds = ["action", "rule", "policy", "trigger_type", "action_alias"] as const;
		const stored = async () => Promise.all(kinds.map((kind) => storage().find(kind, { orderBy: [["ref", "asc"]] })));
		const before = await stored();
		const action = { name: "sweep", runner_type: "speak", pack: "disk", description: "mine" };
		const type = { name: "alert", pack: "disk", description: "mine" };
		const own = { pack: "default", description: "mine" };
		const requests: readonly [method: string, path: string, body?: object][] = [
			["POST", "/actions", { ...action, name: "other" }],
			["PUT", "/actions/disk.sweep", action],
			["PUT", "/actions/disk.sweep", { ...action, pack: "default" }],
			["PUT", "/actions/default.speak", { ...action, name: "other" }],
			["DELETE", "/actions/disk.sweep", {}],
			["POST", "/actions/default.speak/clone", { dest_pack: "disk", dest_action: "other" }],
			["POST", "/actions/default.speak/clone", { dest_pack: "disk", dest_action: "sweep", overwrite: true }],
			["POST", "/rules", { ...rule, name: "other", pack: "disk" }],
			["PUT", "/rules/disk.watch", { ...rule, description: "mine" }],
			["PUT", "/rules/disk.watch", { ...rule, ...own }],
			["DELETE", "/rules/disk.watch"],
			[
				"POST",
				"/policies",
				{ ...policy, name: "other", policy_type: "action.retry", parameters: { retry_on: "failure", max_retry_count: 1 } },
			],
			["PUT", "/policies/disk.few", { ...policy, parameters: { threshold: 4 } }],
			["PUT", "/policies/disk.few", { ...policy, ...own }],
			["DELETE", "/policies/disk.few"],
			["POST", "/triggertypes", { ...type, name: "other" }],
			["PUT", "/triggertypes/disk.alert", type],
			["DELETE", "/triggertypes/disk.alert"],
			["POST", "/actionalias", { ...alias, name: "other", pack: "disk" }],
			["PUT", "/actionalias/disk.sweep", { ...alias, description: "mine" }],
			["PUT", "/actionalias/disk.sweep", { ...alias, ...own }],
			["DELETE", "/actionalias/disk.sweep"],
		];
		for (const [method, path, body] of requests) {
			const { status, record } = await send(method, path, body);
			const text = `pack: "disk" is synced from git (${git}): change it there`;
			assert.deepEqual([status, record], [400, { faultstring: text }], `${method} ${path}`);
		}
		assert.deepEqual(await stored(), before);
		// What is somebody's own may use it.
		assert.equal((await send("POST", "/rules", { ...rule, name: "mine" })).status, 201);
		assert.equal((await send("DELETE", "/rules/default.mine")).status, 204);
	}));

test("operators switch what comes from git on and off and configure it, and the next version leaves that", () =>
	withFollowed(async ({ send, commit, push, followed }) => {
		const switched = ["/rules/disk.watch", "/policies/disk.few", "/actionalias/disk.sweep"];
		for (const path of switched) {
			const { record } = await send("GET", path);
			assert.equal(record["enabled"], true, path);
			assert.equal((await send("PUT", path, { ...record, enabled: false, description: "mine" })).status, 400, path);
			const changed = await send("PUT", path, { ...record, enabled: false });
			assert.deepEqual([changed.status, changed.record["enabled"]], [200, false], path);
		}
		// A client that knows no titles of triggers sends the record back without them.
		const { record: watch } = await send("GET", "/rules/disk.watch");
		const { title, ...trigger } = watch["trigger"] as WireRecord;
		assert.equal(title, "disk.alert");
		for (const enabled of [true, false]) assert.equal((await send("PUT", "/rules/disk.watch", { ...watch, trigger, enabled })).status, 200);
		assert.equal((await send("PUT", "/configs/disk", { level: 3 })).status, 200);
		const next = commit("1.1.0");
		await push();
		await until("the next version is installed", 30, async () => {
			const { commit: known, state } = await followed();
			return (known === next && state === "installed") || undefined;
		});
		for (const path of switched) {
			const { record } = await send("GET", path);
			assert.deepEqual([record["enabled"], record["description"]], [false, "1.1.0"], path);
		}
		assert.equal((await send("GET", "/actions/disk.sweep")).record["description"], "1.1.0");
	}));

test("a version that comes while somebody switches is not written over with the one before", () =>
	withFollowed(async ({ send, storage }) => {
		const kinds = { rule: "/rules/disk.watch", policy: "/policies/disk.few", action_alias: "/actionalias/disk.sweep" } as const;
		for (const [kind, path] of Object.entries(kinds) as [keyof typeof kinds, string][]) {
			const { record } = await send("GET", path);
			const kept = storage();
			const { find } = Object.getPrototypeOf(kept) as Storage;
			let looks = 0;
			// Read for the check, and for the write.
			kept.find = async function (this: Storage, asked, query) {
				if (asked === kind && (looks += 1) === 2)
					await kept.update(kind, String(record["id"]), { description: "1.1.0", ...(kind === "rule" && { revision: "other" }) });
				return find.call(this, asked, query as never) as never;
			};
			const { status } = await send("PUT", path, { ...record, enabled: false });
			Reflect.deleteProperty(kept, "find");
			assert.deepEqual([status, looks >= 2], [200, true], `${kind}: ${looks}`);
			const { record: after } = await send("GET", path);
			assert.deepEqual([after["enabled"], after["description"]], [false, "1.1.0"], kind);
		}
	}));

test("a pack that is followed is not installed, upgraded, taken back or removed by hand: git says what it is", () =>
	withFollowed(async ({ send, git, storage, commit, push, followed, ended }) => {
		const next = commit("1.1.0");
		await push();
		await until(
			"the next version is installed",
			30,
			async () => ((await followed())["commit"] === next && (await followed())["state"] === "installed") || undefined,
		);
		const before = await storage().find("pack", { where: { ref: "disk" } });
		const text = `pack: "disk" is synced from git (${git}): change it there`;
		const lock = (await send("GET", "/packs/views/lock")).record as unknown as readonly WireRecord[];
		const requests: readonly [name: string, parameters: object][] = [
			["install", { packs: [git] }],
			["install", { packs: [`${git}=${next}`], force: true }],
			["install", { packs: [git.replace(/\/\.git$/, "")] }],
			["upgrade", { packs: ["disk"], force: true }],
			["rollback", { pack: "disk" }],
			["uninstall", { packs: ["disk"], force: true }],
		];
		const run = async (action: string, parameters: object) => {
			const { status, record } = await send("POST", "/executions", { action, parameters });
			assert.equal(status, 201, JSON.stringify(record));
			await ended(String(record["id"]));
			const seen = await send("GET", `/executions/${String(record["id"])}`);
			assert.equal(seen.status, 200, JSON.stringify(seen.record));
			return seen.record as { status: string; result: WireRecord };
		};
		for (const [name, parameters] of requests) {
			// Only its files tell that it is the same pack.
			const isOther = JSON.stringify(parameters).includes('/disk"');
			if (!isOther) {
				const { status, record } = await send("POST", `/packs/${name}`, parameters);
				assert.deepEqual([status, record], [400, { faultstring: text }], name);
			}
			// A rule or a workflow goes around the request.
			const { status, result } = await run(`packs.${name}`, parameters);
			assert.deepEqual([status, result["error"]], ["failed", text], JSON.stringify(parameters));
		}
		const [entry = {}] = lock;
		const locked = { ...entry, content: "0".repeat(64) };
		assert.equal((await run("packs.install", { locked: [locked] })).status, "failed");
		// What changes nothing is no harm.
		assert.equal((await run("packs.install", { locked: lock })).status, "succeeded");
		assert.equal((await run("packs.upgrade", { all: true })).status, "succeeded");
		assert.deepEqual(await storage().find("pack", { where: { ref: "disk" } }), before);
	}));

test("lists of packs tell which commit runs, and what came of following it", () =>
	withFollowed(async ({ send, followed, push, bench, git, urls, token }) => {
		const svc = async (...words: string[]) => {
			const [stdout, stderr] = [new CapturedText(), new CapturedText()];
			await runSvc(words, {
				stdout,
				stderr,
				stdin: Readable.from([""]),
				onInterrupt: () => () => true,
				env: { HOME: bench.root, SVC_API_URL: urls.api, SVC_AUTH_TOKEN: token },
			});
			return `${stdout.text}${stderr.text}`;
		};
		const { source } = (await send("GET", "/packs/disk")).record;
		const { commit } = source as { readonly commit: string };
		assert.match(await svc("pack", "list", "-o", "wide"), new RegExp(`disk .*${commit.slice(0, 10)} +installed`));
		bench.write("disk/pack.yaml", 'ref: disk\nname: disk\ndescription: d\nversion: 2.0.0\nauthor: a\nsvc_version: ">=99"\n');
		const broken = bench.commit("disk", "2.0.0");
		await push();
		await until("the next version has failed", 30, async () => (await followed())["state"] === "failed" || undefined);
		const [listed = {}] = (await send("GET", "/packs?ref=disk")).record as unknown as readonly WireRecord[];
		const { checked_at, reason, ...known } = listed["followed"] as WireRecord;
		assert.deepEqual(known, { source: git, state: "failed", commit: broken });
		assert.ok(typeof checked_at === "string" && /requires >=99/.test(String(reason)));
		assert.match(await svc("pack", "list", "-o", "wide"), new RegExp(`disk .*1\\.0\\.0.*${commit.slice(0, 10)} +failed`));
		assert.match(await svc("pack", "get", "disk"), /followed:[^]*state: failed[^]*reason: [^]*requires\s+>=99/);
		assert.match(await svc("pack", "list", "--attr", "ref,source.commit,followed.state", "--json"), new RegExp(`"commit": "${commit}"`));
		const [core] = (await send("GET", "/packs?ref=core")).record as unknown as readonly WireRecord[];
		assert.equal(core !== undefined && "followed" in core, false);
	}));

test("where the packs are left out of the service nothing is followed", async () => {
	await assertNotFollowed({}, "disk");
});

test.run();
