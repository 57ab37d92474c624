import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../guarantees/until.test-support.ts";
import { findFreePort } from "../services/free-port.test-support.ts";
import { type ServerProcess, startServerProcess } from "../services/server-process.test-support.ts";
import { requires, type SkippableTest } from "../test-requirements.ts";
import type { SigningKey } from "./signing.ts";

const installed = "/usr/share/lemonldap-ng/portal/htdocs/index.psgi";

/** Tests that need LemonLDAP::NG; it has no command of its own. */
export function withLemonldap(test: SkippableTest): ReturnType<typeof requires>["test"] {
	return requires(test, { command: existsSync(installed) ? "plackup" : "lemonldap-ng" }).test;
}

/** The portal, without pictures that are to be read by people alone: drawing them needs what nothing else here does. */
const portal = `
package Lemonldap::NG::Portal::Captcha::None;
use Mouse;
extends 'Lemonldap::NG::Portal::Main::Plugin';
sub init { 1 }
$INC{'Lemonldap/NG/Portal/Captcha/None.pm'} = __FILE__;
package main;
use Lemonldap::NG::Portal::Main;
my $app = Lemonldap::NG::Portal::Main->run({});
print STDERR "the portal is there\\n";
$app;
`;

/**
 * LemonLDAP::NG of Debian as a provider: in Perl, with pages and forms of its own, groups in a text of its sessions, without a device flow. It
 * knows `dwho`, who is in the group `operators`, and `rtyler`; their passwords are their names.
 */
export class Lemonldap {
	readonly clientId = "svc";
	readonly clientSecret = "a secret: 100% / + of the client";
	/** Where the page of the service is, without a slash at its end. */
	readonly #page: string;
	#directory = "";
	#port = 0;
	#version = 0;
	#server: ServerProcess | undefined;

	constructor(page: string) {
		this.#page = page;
	}

	get issuer(): string {
		return `http://127.0.0.1:${this.#port}`;
	}

	async start(key: SigningKey): Promise<this> {
		this.#directory = await mkdtemp(join(tmpdir(), "svc-lemonldap-"));
		this.#port = await findFreePort();
		for (const name of ["conf", "sessions", "locks"]) await mkdir(join(this.#directory, name));
		const [settings, app] = [join(this.#directory, "lemonldap-ng.ini"), join(this.#directory, "portal.psgi")];
		const own = "[all]\nlogLevel = warn\ncheckTime = 1\n[configuration]\ntype = File\n";
		const places = `dirName = ${this.#directory}/conf\n[portal]\nstaticPrefix = /static\nlanguages = en\n`;
		await writeFile(settings, `${own}${places}templateDir = /usr/share/lemonldap-ng/portal/templates\n[handler]\n`);
		await writeFile(app, portal);
		await this.#configure(key);
		const at = ["-s", "Standalone", "--host", "127.0.0.1", "--port", String(this.#port), "-E", "deployment"];
		const env = { ...process.env, LLNG_DEFAULTCONFFILE: settings };
		this.#server = await startServerProcess("plackup", [...at, app], { env, ready: /the portal is there/ });
		await until("the provider answers", 30, () => this.#ask("/.well-known/openid-configuration"));
		return this;
	}

	/** Sign with another key from now on; the one before is forgotten. */
	async changeKey(key: SigningKey): Promise<void> {
		await this.#configure(key);
		await until("the provider has its new key", 30, async () => (await this.#ask("/oauth2/jwks"))?.includes(`"${key.kid}"`) || undefined);
	}

	async stop(): Promise<void> {
		await this.#server?.end("SIGTERM");
		await rm(this.#directory, { recursive: true, force: true });
	}

	async #ask(path: string): Promise<string | undefined> {
		const answer = await fetch(`${this.issuer}${path}`).catch(() => undefined);
		return answer?.ok ? answer.text() : undefined;
	}

	async #configure({ kid, privateKey, publicKey }: SigningKey): Promise<void> {
		this.#version += 1;
		const configuration = {
			...{
				cfgNum: this.#version,
				cfgDate: this.#version,
				cfgVersion: "2.16.1",
				key: "a key of the test",
				locationRules: {},
				exportedHeaders: {},
			},
			...{ portal: `${this.issuer}/`, domain: "127.0.0.1", securedCookie: 0, captcha: "::Captcha::None", requireToken: 0 },
			...{ portalDisplayRegister: 0, portalDisplayResetPassword: 0, portalDisplayCertificateResetByMail: 0, localSessionStorage: "" },
			globalStorage: "Apache::Session::File",
			globalStorageOptions: { Directory: `${this.#directory}/sessions`, LockDirectory: `${this.#directory}/locks` },
			...{ authentication: "Demo", userDB: "Same", passwordDB: "Null", registerDB: "Null" },
			demoExportedVars: { cn: "cn", mail: "mail", uid: "uid" },
			groups: { operators: "$uid eq 'dwho'", staff: "1" },
			...{ issuerDBOpenIDConnectActivation: 1, oidcServiceMetaDataIssuer: this.issuer, oidcServiceKeyIdSig: kid },
			oidcServicePrivateKeySig: privateKey.export({ format: "pem", type: "pkcs1" }),
			oidcServicePublicKeySig: publicKey.export({ format: "pem", type: "spki" }),
			oidcRPMetaDataOptions: { svc: this.#toClient() },
			oidcRPMetaDataExportedVars: { svc: { preferred_username: "uid", email: "mail", groups: "groups;string;always" } },
			oidcRPMetaDataOptionsExtraClaims: { svc: { groups: "groups" } },
		};
		await writeFile(join(this.#directory, "conf", `lmConf-${this.#version}.json`), JSON.stringify(configuration));
	}

	#toClient(): object {
		const of = (options: object) =>
			Object.fromEntries(Object.entries(options).map(([name, value]) => [`oidcRPMetaDataOptions${name}`, value]));
		return of({
			...{ ClientID: this.clientId, ClientSecret: this.clientSecret, IDTokenSignAlg: "RS256", RequirePKCE: 1, BypassConsent: 1 },
			RedirectUris: `${this.#page}/auth/v1/sso/callback`,
			PostLogoutRedirectUris: `${this.#page}/`,
		});
	}
}
