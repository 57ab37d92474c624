import { test } from "uvu";
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

test.run();
