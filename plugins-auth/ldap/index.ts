import {
	type AuthBackend,
	type Credentials,
	defineAuthBackend,
	type Identity,
	type PluginContext,
	SvcError,
	toErrorMessage,
} from "../../core/contract/index.ts";
import type { Ldapts } from "./connection.ts";
import type { LdapOptions } from "./options.ts";
import { parseSettings, type Settings } from "./settings.ts";
import type { SignIn } from "./sign-in.ts";

export type { LdapOptions } from "./options.ts";

/** Users of an LDAP directory. They must be in the groups of `group_dns`; the directory itself verifies their passwords. */
export const ldap = defineAuthBackend<LdapOptions>("ldap", (options) => new Ldap(options));

/** Maximum concurrent sign-ins. Each uses two connections to a server. */
const maxAtOnce = 64;
/** Maximum bytes of a username or password. Some servers close the connection if a longer one is sent. */
const maxTextLength = 16_384;

class Ldap implements AuthBackend {
	readonly #options: unknown;
	readonly #underWay = new Map<AbortController, Promise<unknown>>();
	#signIn: SignIn | undefined;

	constructor(options: unknown) {
		this.#options = options;
	}

	async check(): Promise<void> {
		this.#parse(await importLdapts());
	}

	async start({ logger, clock }: PluginContext): Promise<void> {
		const ldapts = await importLdapts();
		// Load the module only here: a configuration may contain this backend without using it, and must not slow down its start.
		const { SignIn } = await import("./sign-in.ts");
		const settings = this.#parse(ldapts);
		for (const warning of findWeaknesses(settings)) logger.warn("auth backend ldap", { warning });
		this.#signIn = new SignIn(settings, { ldapts, logger, clock });
	}

	async stop(): Promise<void> {
		this.#signIn = undefined;
		for (const controller of this.#underWay.keys()) controller.abort(stopped());
		await Promise.allSettled(this.#underWay.values());
	}

	async authenticate(credentials: Credentials, { signal }: { readonly signal: AbortSignal }): Promise<Identity | undefined> {
		signal.throwIfAborted();
		const signIn = this.#signIn;
		if (signIn === undefined) throw stopped();
		if (!isPossible(credentials)) return undefined;
		if (this.#underWay.size >= maxAtOnce)
			throw new SvcError("SVC_UNAVAILABLE", "too many concurrent sign-ins", { facts: { retry_after: 5 } });
		const controller = new AbortController();
		const abort = () => controller.abort(signal.reason);
		signal.addEventListener("abort", abort, { once: true });
		const attempt = signIn.attempt(credentials, controller.signal);
		this.#underWay.set(controller, attempt);
		try {
			return await attempt;
		} finally {
			this.#underWay.delete(controller);
			signal.removeEventListener("abort", abort);
		}
	}

	#parse({ FilterParser }: Ldapts): Settings {
		return parseSettings(this.#options, (filter) => void FilterParser.parseString(filter));
	}
}

/**
 * Returns false for credentials that must not reach the directory. It may treat an empty password as an anonymous bind, which succeeds, and
 * may end a string at a NUL.
 */
function isPossible({ username, password }: Credentials): boolean {
	if (username === "" || password === "" || password.includes("\0") || /\p{Cc}/u.test(username)) return false;
	return Buffer.byteLength(username) <= maxTextLength && Buffer.byteLength(password) <= maxTextLength;
}

function findWeaknesses({ servers, tls }: Settings): string[] {
	if (servers[0]?.encryption === "none") return ["passwords are sent unencrypted; set use_ssl or use_tls"];
	if (tls.isVerified) return [];
	return ["the certificate of the directory is not verified, so an attacker in the network can read passwords; set cacert"];
}

async function importLdapts(): Promise<Ldapts> {
	try {
		return await import("ldapts");
	} catch (error) {
		const message = `auth backend ldap needs the package "ldapts", which is missing or does not run here: npm install ldapts`;
		throw new SvcError("SVC_CONFIG", `${message} (${toErrorMessage(error).split("\n")[0]})`, { cause: error });
	}
}

function stopped(): SvcError {
	return new SvcError("SVC_UNAVAILABLE", "the auth backend is not running");
}
