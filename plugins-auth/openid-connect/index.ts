import { readFile } from "node:fs/promises";
import {
	type AuthBackend,
	defineAuthBackend,
	type InteractiveSignIn,
	type PluginContext,
	SvcError,
	toErrorMessage,
} from "../../core/contract/index.ts";
import type { AuthorizationFlows } from "./authorization-flows.ts";
import type { OpenidConnectOptions } from "./options.ts";
import type { Client } from "./provider.ts";
import { parseSettings, type Settings } from "./settings.ts";

export type { OpenidConnectOptions } from "./options.ts";

/** Users of an OpenID Connect provider, which authenticates them. This backend verifies no passwords. */
export const openidConnect = defineAuthBackend<OpenidConnectOptions>("openid_connect", (options) => new OpenidConnect(options));

class OpenidConnect implements AuthBackend {
	readonly takesPasswords = false;
	readonly interactive: InteractiveSignIn;
	readonly #options: unknown;
	readonly #stopping = new AbortController();
	#signOn: AuthorizationFlows | undefined;

	constructor(options: unknown) {
		this.#options = options;
		this.interactive = {
			label: toLabel(options),
			begin: (request, { signal }) => this.#ask(signal, (signOn, own) => signOn.begin(request, own)),
			complete: (returned, { signal }) => this.#ask(signal, (signOn, own) => signOn.complete(returned, own)),
			beginDevice: ({ signal }) => this.#ask(signal, (signOn, own) => signOn.beginDevice(own)),
			pollDevice: (deviceCode, { signal }) => this.#ask(signal, (signOn, own) => signOn.pollDevice(deviceCode, own)),
			verifySignOut: (message, { signal }) => this.#ask(signal, (signOn, own) => signOn.verifySignOut(message, own)),
			signOutUrl: (request, { signal }) => this.#ask(signal, (signOn, own) => signOn.signOutUrl(request, own)),
		};
	}

	async check(): Promise<void> {
		await readSecret(parseSettings(this.#options));
		await importClient();
	}

	async start({ logger, clock }: PluginContext): Promise<void> {
		const settings = parseSettings(this.#options);
		const secret = await readSecret(settings);
		const client = await importClient();
		// Load the modules only here: a configuration may contain this backend without using it, and must not slow down its start.
		const [{ Provider }, { AuthorizationFlows }, { LogoutTokenVerifier }] = await Promise.all([
			import("./provider.ts"),
			import("./authorization-flows.ts"),
			import("./logout-token.ts"),
		]);
		const provider = new Provider(settings, { client, clock, secret });
		const signOuts = new LogoutTokenVerifier(settings, { provider, clock, logger });
		this.#signOn = new AuthorizationFlows(settings, { client, provider, signOuts, logger });
	}

	async stop(): Promise<void> {
		this.#signOn = undefined;
		this.#stopping.abort(stopped());
	}

	/** Always refuses, because this backend has no passwords. */
	async authenticate(): Promise<undefined> {
		return undefined;
	}

	async #ask<T>(
		signal: AbortSignal,
		ask: (signOn: AuthorizationFlows, options: { readonly signal: AbortSignal }) => Promise<T>,
	): Promise<T> {
		signal.throwIfAborted();
		if (this.#signOn === undefined) throw stopped();
		return ask(this.#signOn, { signal: AbortSignal.any([signal, this.#stopping.signal]) });
	}
}

/** Returns the label, or a default while the options are invalid. The start reports invalid options. */
function toLabel(options: unknown): string {
	try {
		return parseSettings(options).label;
	} catch {
		return "single sign-on";
	}
}

async function readSecret({ secret: { text, file } }: Settings): Promise<string | undefined> {
	if (file === undefined) return text;
	try {
		const secret = (await readFile(file, "utf8")).replace(/\r?\n$/, "");
		if (secret !== "") return secret;
	} catch (error) {
		throw new SvcError("SVC_CONFIG", `auth backend openid_connect: client_secret_file: ${toErrorMessage(error)}`, { cause: error });
	}
	throw new SvcError("SVC_CONFIG", `auth backend openid_connect: client_secret_file: "${file}" is empty`);
}

async function importClient(): Promise<Client> {
	try {
		return await import("openid-client");
	} catch (error) {
		const message = `auth backend openid_connect needs the package "openid-client", which is missing or does not run here: npm install openid-client`;
		throw new SvcError("SVC_CONFIG", `${message} (${toErrorMessage(error).split("\n")[0]})`, { cause: error });
	}
}

function stopped(): SvcError {
	return new SvcError("SVC_UNAVAILABLE", "the auth backend is not running");
}
