import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withService } from "../testing/http/service.test-support.ts";

test("answers that hold a secret in clear are not to be kept, others say nothing of that", () =>
	withService(async ({ ask, urls }) => {
		const control = async (answer: Promise<Response>, status = 200) => {
			const { status: got, headers } = await answer;
			assert.equal(got, status);
			return headers.get("cache-control");
		};
		const authorization = `Basic ${Buffer.from("admin:a password").toString("base64")}`;
		const signIn = () => fetch(`${urls.auth}/auth/v1/tokens`, { method: "POST", headers: { authorization } });
		const put = { method: "PUT", body: JSON.stringify({ value: "x", secret: true }) };
		await ask("/v1/keys/pin", put);
		assert.equal(await control(signIn(), 201), "no-store");
		assert.equal(await control(ask("/v1/apikeys", { method: "POST", body: "{}" }), 201), "no-store");
		assert.equal(await control(ask("/v1/keys/pin?decrypt=true")), "no-store");
		assert.equal(await control(ask("/v1/keys?decrypt=true")), "no-store");
		assert.equal(await control(ask("/v1/configs?show_secrets=true")), "no-store");
		const shown = ["/v1/executions", "/v1/actions", "/v1/rules", "/v1/triggerinstances", "/v1/actionalias"];
		for (const path of shown) {
			assert.equal(await control(ask(`${path}?show_secrets=true`)), "no-store", path);
			assert.equal(await control(ask(path)), null, path);
		}
		for (const path of ["/v1/keys/pin", "/v1/keys", "/v1/configs", "/v1/user"]) assert.equal(await control(ask(path)), null, path);
	}));

test("with masking off, whatever may hold a secret is not to be kept", () =>
	withService(
		async ({ ask }) => {
			assert.equal((await ask("/v1/executions")).headers.get("cache-control"), "no-store");
			assert.equal((await ask("/v1/nodes")).headers.get("cache-control"), null);
		},
		{ api: { mask_secrets: false } },
	));

test.run();
