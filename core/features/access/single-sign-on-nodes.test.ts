// test-suite: full
import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { openidConnect } from "../../../plugins-auth/openid-connect/index.ts";
import { createService } from "../../service/service.ts";
import { OidcTestProvider } from "../../testing/auth/oidc-test-provider.ts";
import { openBrowser, sayLogout, toCookie, toProviderOptions, toToken } from "../../testing/auth/provider-service.test-support.ts";
import { createSharedStorage } from "../../testing/engine/shared-storage.test-support.ts";
import { createMemoryLogger } from "../../testing/http/fake-engine.test-support.ts";

/** Run with two nodes that one address leads to, and share what they know; the addresses of their listeners. */
async function withNodes(run: (nodes: readonly [string, string], provider: OidcTestProvider) => Promise<void>): Promise<void> {
	const provider = await new OidcTestProvider().start();
	const directory = await mkdtemp(join(tmpdir(), "svc-sso-nodes-"));
	const shared = createSharedStorage();
	const start = async (name: string) => {
		const { plugin, eventBus } = shared.createDoor();
		const service = createService(
			{
				storage: plugin,
				event_bus: eventBus,
				runners: [],
				node: { name },
				auth: { listen: false, backend: openidConnect(toProviderOptions(provider)) },
				api: { port: 0 },
				stream: { listen: false },
				webui: { webui_base_url: "http://svc.example.org" },
			},
			{ directory, logger: createMemoryLogger() },
		);
		const { addresses } = await service.start();
		return { service, url: addresses.api ?? "" };
	};
	const nodes = [await start("one"), await start("two")] as const;
	try {
		await run([nodes[0].url, nodes[1].url], provider);
	} finally {
		for (const { service } of nodes) await service.stop();
		await shared.release();
		await rm(directory, { recursive: true, force: true });
		await provider.stop();
	}
}

test("a sign-in that begins at one node is finished by another, once, and its token is good at both", () =>
	withNodes(async ([one, two], provider) => {
		// Such a provider would say yes as often as it is asked.
		provider.reusesCodes = true;
		const browser = openBrowser(one, provider);
		const query = await provider.signIn(await browser.begin());
		const comeBack = (node: string) =>
			fetch(`${node}/auth/v1/sso/callback?${query}`, { redirect: "manual", headers: { cookie: browser.cookie() } });
		const response = await comeBack(two);
		assert.equal(response.status, 303);
		assert.match(response.headers.get("location") ?? "", /^http:\/\/svc\.example\.org\/#\/$/);
		for (const node of [one, two]) assert.equal((await comeBack(node)).status, 401);
		const token = toCookie(response, "auth-token").slice("auth-token=".length);
		for (const node of [one, two]) assert.equal((await fetch(`${node}/v1/user`, { headers: { "x-auth-token": token } })).status, 200);
	}));

test("of many that come back at once with the same, at both nodes, one gets a token", () =>
	withNodes(async ([one, two], provider) => {
		provider.reusesCodes = true;
		const browser = openBrowser(one, provider);
		const query = await provider.signIn(await browser.begin());
		const responses = await Promise.all(
			[one, two, one, two, one, two].map((node) =>
				fetch(`${node}/auth/v1/sso/callback?${query}`, { redirect: "manual", headers: { cookie: browser.cookie() } }),
			),
		);
		assert.deepEqual(responses.map(({ status }) => status).sort(), [303, 401, 401, 401, 401, 401]);
	}));

test("a device that waits asks whichever node, and gets one token", () =>
	withNodes(async ([one, two], provider) => {
		provider.reusesCodes = true;
		const ask = (node: string, path: string, body: object) =>
			fetch(`${node}/auth/v1/sso/${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
		const { device_code } = (await (await ask(one, "device", {})).json()) as { device_code: string };
		provider.deviceDecision = "slow_down";
		const waits = await ask(two, "device/token", { device_code });
		assert.deepEqual([waits.status, await waits.json()], [202, { slow_down: true }]);
		provider.deviceDecision = "yes";
		const statuses = [];
		for (const node of [two, one, two]) statuses.push((await ask(node, "device/token", { device_code, ttl: 60 })).status);
		assert.deepEqual(statuses, [201, 401, 401]);
	}));

test("word of a sign-out that comes to one node ends what another has given, and counts once at all of them", () =>
	withNodes(async ([one, two], provider) => {
		const token = toToken(await openBrowser(one, provider).signIn());
		const ask = async (node: string) => (await fetch(`${node}/v1/user`, { headers: { "x-auth-token": token } })).status;
		assert.deepEqual([await ask(one), await ask(two)], [200, 200]);
		const message = provider.toSignOut();
		assert.equal((await sayLogout(two, message)).status, 200);
		assert.deepEqual([await ask(one), await ask(two)], [401, 401]);
		assert.equal((await sayLogout(one, message)).status, 400);
	}));

test.run();
