import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findFreePort } from "../../../core/testing/services/free-port.test-support.ts";
import { requires } from "../../../core/testing/test-requirements.ts";
import { chatty } from "../../../core/testing/web/chatty.test-support.ts";
import { startNginx } from "../../../core/testing/web/nginx.test-support.ts";
import { assertClean, openPage, signInAs, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

const nginxTest = requires(Object.assign(webTest.bind(undefined), { skip: test.skip }), { command: "nginx" }).test;

nginxTest("below a path of nginx everything is below that path: sign-in, cookie, streams, downloads and web_url", async () => {
	const port = await findFreePort();
	await withWeb(
		async ({ urls, openSignedOut, ask, signIn }) => {
			const nginx = await startNginx({ port, target: urls.api, path: "/svc/" });
			try {
				const root = await signIn("root");
				await ask(root, "POST", "/v1/actions", { name: "chatty", runner_type: "chatty" });
				const page = await openSignedOut("/history", nginx.url.slice(0, -1));
				await signInAs(page, "root");
				const asked: string[] = [];
				page.on("request", (request) => void asked.push(request.url()));
				await page.locator(".live", { hasText: "live" }).waitFor();
				const { body } = await ask(root, "POST", "/v1/executions", { action: "default.chatty", parameters: { every: 20 } });
				try {
					// It appears by the stream.
					await page.getByRole("link", { name: "default.chatty" }).click();
					await page.getByRole("link", { name: "Log", exact: true }).click();
					await page.locator(".log-line", { hasText: "tick 30" }).first().waitFor();
				} finally {
					await ask(root, "DELETE", `/v1/executions/${String(body["id"])}`);
				}
				const waiting = page.waitForEvent("download");
				await page.getByRole("link", { name: "Download" }).click();
				assert.match((await waiting).url(), new RegExp(`^${nginx.url}api/v1/executions/`));
				assert.ok(asked.length > 5);
				assert.deepEqual(
					asked.filter((url) => !url.startsWith(nginx.url)),
					[],
				);
				assert.ok(asked.some((url) => url.startsWith(`${nginx.url}stream/v1/executions/`)));
				await page.goto("about:blank");
				const { body: record } = await ask(root, "GET", `/v1/executions/${String(body["id"])}`);
				await page.goto(String(record["web_url"]));
				await page.getByRole("heading", { name: "default.chatty" }).waitFor();
				assert.ok(page.url().startsWith(nginx.url));
				await assertClean(page);
			} finally {
				await nginx.stop();
			}
		},
		{ runners: [chatty()], webui: { webui_base_url: `http://127.0.0.1:${port}/svc` } },
	);
});

nginxTest("behind a proxy that signs people in, the page opens without a question", async () => {
	const port = await findFreePort();
	await withWeb(
		async ({ urls }) => {
			const nginx = await startNginx({ port, target: urls.api, path: "/svc/", user: "root" });
			try {
				const page = await openPage();
				await page.goto(`${nginx.url}#/history`);
				await page.getByRole("heading", { name: "Executions" }).waitFor();
				await page.locator(".user", { hasText: "root" }).waitFor();
				await page.locator(".live", { hasText: "live" }).waitFor();
				assert.equal(await page.getByLabel("Password").count(), 0);
				await page.getByRole("button", { name: "Sign out" }).click();
				await page.getByRole("button", { name: "Sign in through the proxy" }).waitFor();
				assert.equal(await page.getByLabel("Password").count(), 0);
				await assertClean(page);
			} finally {
				await nginx.stop();
			}
		},
		{ auth: { mode: "proxy", listen: false, trusted_proxies: ["127.0.0.1"] } },
	);
});
