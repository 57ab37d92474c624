import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withService } from "../../core/testing/http/service.test-support.ts";

test("a job about no pack is refused, and begins nothing", () =>
	withService(async ({ ask }) => {
		const post = async (path: string, body: object) => {
			const answer = await ask(`/v1/packs/${path}`, { method: "POST", body: JSON.stringify(body) });
			return [answer.status, ((await answer.json()) as { readonly faultstring?: string }).faultstring];
		};
		for (const [path, body] of [
			["install", {}],
			["install", { packs: [] }],
			["install", { packs: [], locked: [], force: true }],
			["uninstall", { packs: [] }],
		] as const) {
			assert.deepEqual(await post(path, body), [400, "packs: name at least one pack"], `${path} ${JSON.stringify(body)}`);
		}
		for (const body of [{}, { packs: [] }, { packs: ["disk"], all: true }]) {
			assert.deepEqual(await post("upgrade", body), [400, "packs: name the packs or set all"], JSON.stringify(body));
		}
		assert.deepEqual(await (await ask("/v1/executions?limit=5")).json(), []);
		assert.equal((await post("install", { packs: ["/nowhere/disk"] }))[0], 202);
		assert.equal((await post("uninstall", { packs: ["disk"] }))[0], 202);
		assert.equal((await post("upgrade", { all: true }))[0], 202);
	}));

test("braces in the source of a pack are no template", () =>
	withService(async ({ ask }) => {
		const packs = ["/nowhere/{{ 1 + 1 }}"];
		const begun = await ask("/v1/packs/install", { method: "POST", body: JSON.stringify({ packs }) });
		const { execution_id } = (await begun.json()) as { readonly execution_id: string };
		const execution = (await (await ask(`/v1/executions/${execution_id}`)).json()) as { readonly parameters: Record<string, unknown> };
		assert.deepEqual(execution.parameters["packs"], packs);
	}));

test.run();
