// test-suite: full
import "../../../core/testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "uvu";
import { until } from "../../../core/testing/guarantees/until.test-support.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "../../../core/testing/http/service.test-support.ts";
import { SourceBench } from "../sources/pack-fetcher.test-support.ts";

const secret = "what only the sender knows";

interface Subject extends ServiceUnderTest {
	readonly bench: SourceBench;
	read(path: string): Promise<WireRecord[]>;
	/** Commit the pack; the commit. */
	commit(version: string): string;
	/** Tell the service of a push, as a sender with this secret does; the status. */
	push(secret: string | undefined, delivery: string): Promise<number>;
	/** Of the pack that is installed. */
	version(): Promise<unknown>;
}

async function withPushed(use: (subject: Subject) => Promise<void>): Promise<void> {
	const bench = new SourceBench();
	const git = `file://${bench.root}/disk/.git`.replaceAll(" ", "%20");
	const commit = (version: string) => {
		bench.write("disk/pack.yaml", `ref: disk\nname: disk\ndescription: d\nversion: ${version}\nauthor: a\n`);
		return bench.commit("disk", version);
	};
	commit("1.0.0");
	const webhook = { url: "packs/pushed", signature: { scheme: "github", secret_keys: ["packs_hook"] } };
	try {
		await withService(
			async (service) => {
				const { ask } = service;
				const value = JSON.stringify({ name: "packs_hook", value: secret, secret: true });
				assert.equal((await ask("/v1/keys/packs_hook", { method: "PUT", body: value })).status, 200);
				const read = async (path: string) => (await ask(`/v1${path}`)).json() as Promise<WireRecord[]>;
				const version = async () => (await read("/packs?ref=disk"))[0]?.["version"];
				const push = async (key: string | undefined, delivery: string) => {
					const body = '{"ref": "refs/heads/main"}';
					const signature =
						key === undefined ? {} : { "x-hub-signature-256": `sha256=${createHmac("sha256", key).update(body).digest("hex")}` };
					const headers = { "x-github-delivery": delivery, ...signature };
					return (await ask("/v1/webhooks/packs/pushed", { method: "POST", body, headers })).status;
				};
				await until("the pack is installed", 30, async () => (await version()) === "1.0.0" || undefined);
				await use({ ...service, bench, commit, read, push, version });
			},
			// Nobody waits so long here: what is seen is seen because of the webhook.
			{ packs: [{ git, interval: 86_400, webhook }] },
		);
	} finally {
		bench.remove();
	}
}

test("a signed push has the service look at once, and nothing else does", () =>
	withPushed(async ({ push, commit, version, read }) => {
		commit("1.1.0");
		assert.deepEqual([await push(undefined, "a"), await push("what somebody guesses", "b")], [403, 403]);
		assert.deepEqual(await read("/executions?action=packs.look"), []);
		assert.equal(await push(secret, "c"), 202);
		await until("the next version is installed", 30, async () => (await version()) === "1.1.0" || undefined);
		// It is told twice, and looked at once.
		assert.equal(await push(secret, "c"), 202);
		assert.equal((await read("/executions?action=packs.look")).length, 1);
		assert.equal((await read("/executions?action=packs.follow")).length, 2);
	}));

test("the webhook is a rule of the service's own, which operators switch off and which comes again with a start only", () =>
	withPushed(async ({ push, commit, read, ask }) => {
		const [hook, ...others] = await read("/webhooks");
		assert.deepEqual([(hook?.["parameters"] as WireRecord | undefined)?.["url"], others], ["packs/pushed", []]);
		const [rule, ...more] = await read("/rules?pack=packs");
		assert.deepEqual(more, []);
		assert.match(String(rule?.["name"]), /^followed_[0-9a-f]{12}$/);
		const path = `/v1/rules/${String(rule?.["ref"])}`;
		const shown = (await (await ask(path)).json()) as WireRecord;
		assert.equal((await ask(path, { method: "PUT", body: JSON.stringify({ ...shown, enabled: false }) })).status, 200);
		commit("1.1.0");
		assert.equal(await push(secret, "a"), 202);
		assert.deepEqual(await read("/executions?action=packs.look"), []);
	}));

test("nobody has the service look at what the configuration does not name", () =>
	withPushed(async ({ ask, bench, read, ended }) => {
		for (const action of ["packs.look", "packs.follow"]) {
			const parameters = { source: `file://${bench.root}/other/.git` };
			const { id } = (await (await ask("/v1/executions", { method: "POST", body: JSON.stringify({ action, parameters }) })).json()) as {
				id: string;
			};
			await ended(id);
			const { status, result } = (await read(`/executions/${id}`)) as unknown as { status: string; result: WireRecord };
			assert.equal(status, "failed");
			assert.match(String(result["error"]), /the configuration \(packs\) contains no such repository/);
		}
	}));

test.run();
