import * as assert from "node:assert/strict";
import { test } from "uvu";
import { OidcTestProvider } from "../../core/testing/auth/oidc-test-provider.ts";
import { toProviderOptions } from "../../core/testing/auth/provider-service.test-support.ts";
import { testAuthBackend } from "../../core/testing/auth-suite.ts";
import { createPluginContext } from "../../core/testing/plugin-context.ts";
import { openidConnect } from "./index.ts";

testAuthBackend({
	test,
	name: "openid connect",
	createInteractive: async (provider) => {
		const options = { ...provider, username_claim: "email", groups_claim: "groups", required_claims: { tid: "ours" } };
		const backend = openidConnect(options).create();
		await backend.start?.(createPluginContext());
		return { backend };
	},
});

test("of many messages that somebody has signed out the keys are asked for twice: by the first, and for all that came meanwhile", async () => {
	const provider = await new OidcTestProvider().start();
	const backend = openidConnect(toProviderOptions(provider)).create();
	try {
		await backend.start?.(createPluginContext());
		const { signal } = new AbortController();
		const verify = (message: string) => backend.interactive?.verifySignOut?.(message, { signal });
		const messages = Array.from({ length: 30 }, () => provider.toSignOut());
		const ids = (await Promise.all(messages.map(verify))).map((ended) => ended?.id);
		assert.equal(new Set(ids).size, messages.length);
		assert.ok(!ids.includes(undefined));
		assert.deepEqual(
			provider.asked.filter((path) => path === "/keys"),
			["/keys", "/keys"],
		);
	} finally {
		await backend.stop?.();
		await provider.stop();
	}
});

test.run();
