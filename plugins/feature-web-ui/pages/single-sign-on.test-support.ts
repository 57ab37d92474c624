import * as assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { test } from "uvu";
import { withPasswords } from "../../../core/testing/auth/provider-service.test-support.ts";
import { RealProvider } from "../../../core/testing/auth/real-provider.test-support.ts";
import { CapturedText } from "../../../core/testing/cli/captured-text.test-support.ts";
import { findFreePort } from "../../../core/testing/services/free-port.test-support.ts";
import { requires } from "../../../core/testing/test-requirements.ts";
import { startNginx } from "../../../core/testing/web/nginx.test-support.ts";
import { assertClean, signInAs, type WebUnderTest, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";
import { runSvc } from "../../_shipped/run-svc.ts";

const nginxTest = requires(Object.assign(webTest.bind(undefined), { skip: test.skip }), { command: "nginx" }).test;

const people = {
	ann: { email: "ann@example.com", groups: ["operators"] },
	bob: { email: "bob@example.com", groups: [] },
};

/** A service with its page, which people reach at `url`, and a provider that knows `ann` and `bob`. */
async function withProvider(
	run: (web: WebUnderTest, provider: RealProvider) => Promise<void>,
	toUrl = (port: number) => `http://127.0.0.1:${port}/`,
): Promise<void> {
	const provider = await new RealProvider().start();
	const port = await findFreePort();
	const { issuer, clientId: client_id, clientSecret: client_secret } = provider;
	const url = toUrl(port);
	provider.serve({ page: url, people });
	const claims = { scopes: ["openid", "email", "groups"], username_claim: "email", groups_claim: "groups" };
	try {
		await withWeb((web) => run(web, provider), {
			auth: { backend: withPasswords({ issuer, client_id, client_secret, label: "Example & Co", ...claims }) },
			api: { port },
			webui: { webui_base_url: url },
			rbac: { mappings: [{ group: "operators", roles: ["admin"] }] },
		});
	} finally {
		await provider.stop();
	}
}

/** What somebody does at the provider: say who they are, and that the service may know. */
async function answerProvider(page: Page, name: string): Promise<void> {
	await page.getByPlaceholder("Enter any login").fill(name);
	await page.getByPlaceholder("and password").fill("anything");
	await page.getByRole("button", { name: "Sign-in" }).click();
	await page.getByRole("button", { name: "Continue" }).click();
}

nginxTest(
	"somebody signs in with a provider, below a path of nginx, is where they wanted to be, and signs out of both, from either side",
	async () => {
		const front = await findFreePort();
		const url = `http://127.0.0.1:${front}/automation/`;
		await withProvider(
			async ({ openSignedOut, urls }, provider) => {
				const nginx = await startNginx({ port: front, target: urls.api, path: "/automation/" });
				try {
					const page = await openSignedOut("/history?status=failed", url.slice(0, -1));
					const seen: string[] = [];
					page.on("request", (request) => void seen.push(`${request.url()} ${request.headers()["referer"] ?? ""}`));
					await page.getByRole("button", { name: "Sign in with Example & Co" }).waitFor();
					await assertClean(page);
					await page.getByRole("button", { name: "Sign in with Example & Co" }).click();
					await answerProvider(page, "ann");
					await page.locator(".user", { hasText: "ann@example.com" }).waitFor();
					assert.equal(page.url(), `${url}#/history?status=failed`);
					const findToken = async () => (await page.context().cookies()).find(({ name }) => name === "auth-token");
					const cookie = await findToken();
					assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, "Lax"]);
					assert.ok(seen.every((text) => !text.includes(cookie?.value ?? "auth-token")));
					const ask = (token = "") => fetch(`${url}v1/user`, { headers: { "x-auth-token": token } });
					assert.deepEqual(((await (await ask(cookie?.value)).json()) as { rbac: { roles: unknown } }).rbac.roles, ["admin"]);
					await page.getByRole("heading", { level: 1 }).waitFor();
					await assertClean(page);
					await page.getByRole("button", { name: "Sign out" }).click();
					await page.waitForURL(`${provider.issuer}/**`);
					await page.getByRole("button", { name: "Yes, sign me out" }).click();
					await page.getByRole("button", { name: "Sign in with Example & Co" }).waitFor();
					assert.ok(page.url().startsWith(url));
					assert.equal((await ask(cookie?.value)).status, 401);
					// The provider asks again who it is.
					await page.getByRole("button", { name: "Sign in with Example & Co" }).click();
					await answerProvider(page, "ann");
					await page.locator(".user", { hasText: "ann@example.com" }).waitFor();
					const again = await findToken();
					assert.equal((await ask(again?.value)).status, 200);
					// Elsewhere, and nothing of it is said to the page: the provider tells the service.
					const elsewhere = await page.context().newPage();
					await elsewhere.goto(`${provider.issuer}/session/end`);
					await elsewhere.getByRole("button", { name: "Yes, sign me out" }).click();
					await elsewhere.waitForURL(/success/);
					assert.equal((await ask(again?.value)).status, 401);
					await page.getByRole("button", { name: "Sign in with Example & Co" }).waitFor();
				} finally {
					await nginx.stop();
				}
			},
			() => url,
		);
	},
);

webTest("whoever the provider refuses, or who comes late, is told so on the page, and passwords work beside it", () =>
	withProvider(async ({ openSignedOut, urls }, provider) => {
		const page = await openSignedOut("/history");
		await page.getByRole("button", { name: "Sign in with Example & Co" }).click();
		await page.getByRole("link", { name: "[ Cancel ]" }).click();
		await page.getByRole("alert").getByText("The sign-in was refused").waitFor();
		assert.equal(new URL(page.url()).search, "");
		await page.goto(`${urls.api}/auth/v1/sso/callback?code=x&state=y`);
		await page.getByRole("alert").getByText("The sign-in was refused").waitFor();
		await provider.stop();
		await signInAs(page, "root");
	}),
);

webTest("svc login --sso waits until somebody has said yes in a browser, and keeps the token", () =>
	withProvider(async ({ urls, openSignedOut }) => {
		const home = await mkdtemp(join(tmpdir(), "svc-sso-"));
		const env = { HOME: home, SVC_URL: urls.api, SVC_API_URL: `${urls.api}/v1`, SVC_AUTH_URL: `${urls.api}/auth/v1` };
		try {
			const [stdout, stderr] = [new CapturedText(), new CapturedText()];
			const login = runSvc(["login", "--sso"], { stdout, stderr, env });
			await stderr.holds("or open ");
			const page = await openSignedOut();
			await page.goto(/or open (\S+)/.exec(stderr.text)?.[1] ?? "");
			await page.getByRole("button", { name: "Continue" }).click();
			await answerProvider(page, "bob");
			assert.equal(await login, 0, stderr.text);
			assert.match(stdout.text, /^Signed in as bob@example\.com; /);
			const shown = new CapturedText();
			assert.equal(await runSvc(["whoami"], { stdout: shown, stderr, env }), 0, stderr.text);
			assert.match(shown.text, /bob@example/);
			const file = join(home, ".svc", `token-${encodeURIComponent("bob@example.com")}`);
			assert.equal((await stat(file)).mode & 0o777, 0o600);
		} finally {
			await rm(home, { recursive: true, force: true });
		}
	}),
);
