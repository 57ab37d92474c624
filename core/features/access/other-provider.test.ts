// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { FormBrowser } from "../../testing/auth/form-browser.test-support.ts";
import { Lemonldap, withLemonldap } from "../../testing/auth/lemonldap.test-support.ts";
import { toCookie, toToken, withPasswords } from "../../testing/auth/provider-service.test-support.ts";
import { signingKey } from "../../testing/auth/signing.ts";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const page = "https://svc.example.org/automation";
const lemonldapTest = withLemonldap(test);

/** Somebody in front of the service and of LemonLDAP::NG. */
class Person {
	readonly #service: GuardedService;
	readonly #browser: FormBrowser;
	#kept = "";

	constructor(service: GuardedService, provider: Lemonldap) {
		this.#service = service;
		this.#browser = new FormBrowser(provider.issuer);
	}

	/** What the provider shows to whoever begins; the address to come back to, where it asks nothing. */
	async begin() {
		const response = await fetch(`${this.#service.urls.api}/auth/v1/sso/request`, { method: "POST", body: "{}" });
		this.#kept = toCookie(response, "svc-sign-in");
		return this.#browser.open(((await response.json()) as { url: string }).url);
	}

	/** The token; empty for whoever is refused. The page is reached through another address than the service's own. */
	async comeBack(url: string): Promise<string> {
		assert.ok(url.startsWith(`${page}/auth/v1/sso/callback?`), url);
		const own = `${this.#service.urls.api}${url.slice(page.length)}`;
		return toToken(await fetch(own, { redirect: "manual", headers: { cookie: this.#kept } }));
	}

	async signIn(name: string): Promise<string> {
		const { url } = await this.#browser.submit(await this.begin(), { user: name, password: name });
		return this.comeBack(url);
	}

	/** Where the page sends whoever signs out: at last, where that comes back to. */
	async signOut(): Promise<string> {
		const { url } = (await (await fetch(`${this.#service.urls.api}/auth/v1/sso/sign-out`)).json()) as { url: string };
		const asked = await this.#browser.open(url);
		return (await this.#browser.submit(asked, { confirm: "1" })).url;
	}

	async rights(token: string) {
		const { status, body } = await this.#service.ask(token, "GET", "/v1/user");
		return status === 200 ? [body["username"], (body["rbac"] as { roles: readonly string[] }).roles] : status;
	}
}

lemonldapTest(
	"people of LemonLDAP::NG come in by its forms, with their groups, through a change of its keys, and sign out of it",
	async () => {
		const provider = await new Lemonldap(page).start(signingKey("first"));
		const { issuer, clientId: client_id, clientSecret: client_secret } = provider;
		const options = { issuer, client_id, client_secret, scopes: ["openid", "profile", "email", "groups"], groups_claim: "groups" };
		try {
			await withGuardedService(
				async (service) => {
					const [doctor, rose] = [new Person(service, provider), new Person(service, provider)];
					assert.deepEqual(await doctor.rights(await doctor.signIn("dwho")), ["dwho", ["admin"]]);
					assert.deepEqual(await rose.rights(await rose.signIn("rtyler")), ["rtyler", []]);
					// The provider knows him by now, and signs with another key.
					await provider.changeKey(signingKey("second"));
					const again = await doctor.comeBack((await doctor.begin()).url);
					assert.deepEqual(await doctor.rights(again), ["dwho", ["admin"]]);
					assert.equal(await doctor.signOut(), `${page}/`);
					assert.match((await doctor.begin()).html, /name="password"/);
					assert.equal((await rose.begin()).html, "");
					// It has no sign-in for devices.
					const device = await fetch(`${service.urls.api}/auth/v1/sso/device`, { method: "POST", body: "{}" });
					assert.equal(device.status, 404);
					assert.match(await device.text(), /does not support sign-in with another device/);
				},
				{
					auth: { backend: withPasswords(options) },
					webui: { webui_base_url: page },
					rbac: { mappings: [{ group: "operators", roles: ["admin"] }] },
				},
			);
		} finally {
			await provider.stop();
		}
	},
);

test.run();
