import { type ReadonlySignal, signal } from "@preact/signals";
import { isSvcError } from "../../../../core/contract/index.ts";
import type { Client, UserRecord } from "../../../_shipped/client.ts";
import * as texts from "../texts/frame.ts";
import { Permissions } from "./permissions.ts";

/** State of the session. `unknown` until the service has identified the user. */
export type SessionState = "unknown" | "signed-out" | "signed-in" | "unreachable";

/** Ways of signing in that the service offers. The page receives them as attributes of its HTML document. */
export interface SignInWays {
	/** `none`: signing in is not required. `proxy`: the proxy in front of the service identifies the user. */
	readonly way: "none" | "password" | "proxy";
	readonly takesPasswords: boolean;
	/** Name of the single sign-on provider; empty if there is none. */
	readonly provider: string;
} /**
 * Session of the user. The token is stored in a cookie that scripts cannot read, so that an injected script cannot steal it. The page
 * handles the token only while signing in and does not store it.
 */
export class Session {
	readonly ways: SignInWays;
	/** Address of the documentation, relative to the page; empty if the service has none. */
	readonly docs: string;
	/** Names of the features of the service. */
	readonly #features: readonly string[];
	readonly #client: Client;
	/** Largest `limit` of lists for users who are not administrators. */
	readonly #maxPageSize: number;
	readonly #state = signal<SessionState>("unknown");
	readonly #user = signal<UserRecord | undefined>(undefined);
	readonly #problem = signal("");
	#permissions = Permissions.none;

	constructor(client: Client, { dataset }: HTMLElement) {
		const { signIn = "password", passwords, provider = "", maxPageSize = "100", features = "", docs = "" } = dataset;
		this.#client = client;
		this.docs = docs;
		this.#features = features.split(" ");
		this.#maxPageSize = Number(maxPageSize);
		this.ways = { way: signIn as SignInWays["way"], takesPasswords: passwords !== "false", provider };
	}

	get state(): ReadonlySignal<SessionState> {
		return this.#state;
	}

	get user(): ReadonlySignal<UserRecord | undefined> {
		return this.#user;
	}

	/** Reason why the user is not signed in; empty if there is nothing to report. */
	get problem(): ReadonlySignal<string> {
		return this.#problem;
	}

	/**
	 * Returns true if the user has a permission on the record `uid`; without `uid`, on at least one record. Pages do not offer what is not
	 * permitted.
	 */
	may(permission: string, uid?: string): boolean {
		// Reading the signal makes components that depend on permissions render again when the user changes.
		return this.#user.value !== undefined && this.#permissions.allow(permission, uid);
	}

	/**
	 * Returns true if the service has a feature, or if no feature is named. Pages do not offer what needs a feature that the service does
	 * not have.
	 */
	has(feature: string | undefined): boolean {
		return feature === undefined || this.#features.includes(feature);
	}

	/** Returns the maximum number of records, up to `size`, that the user may request at once. */
	toLimit(size: number): number {
		return this.#user.value?.rbac.is_admin === true ? size : Math.min(size, this.#maxPageSize);
	}

	/** Identifies the user by the session cookie. If an authenticating proxy is in use, the user is signed in without being prompted. */
	async check(): Promise<void> {
		try {
			await this.#load();
		} catch (error) {
			if (!isSvcError(error, "SVC_UNAUTHORIZED"))
				return this.#become(isSvcError(error, "SVC_UNAVAILABLE") ? "unreachable" : "signed-out", error);
			if (this.ways.way !== "proxy") return this.#become("signed-out", takeReturned());
			await this.signIn();
		}
	}

	/** Signs in with a username and a password, or through the proxy if no credentials are given. A failure is reported in `problem`. */
	async signIn(credentials?: { readonly username: string; readonly password: string }): Promise<void> {
		try {
			await (credentials === undefined ? this.#client.signInByProxy() : this.#client.signIn(credentials));
			await this.#load();
		} catch (error) {
			this.#become("signed-out", error);
			return;
		}
	}

	/** Redirects to the single sign-on provider, which redirects back to the current location. */
	async signInElsewhere(): Promise<void> {
		try {
			location.assign(await this.#client.singleSignOn.begin(location.hash.replace(/^#/, "")));
		} catch (error) {
			this.#become("signed-out", error);
		}
	}

	/** Revokes the token in the service, and ends the session at the single sign-on provider if there is one. */
	async signOut(): Promise<void> {
		await this.#client.signOut().catch((error: unknown) => {
			// Ignore that the token has already expired or was already revoked.
			if (!isSvcError(error, "SVC_UNAUTHORIZED") && !isSvcError(error, "SVC_NOT_FOUND")) throw error;
		});
		this.#become("signed-out");
		if (this.ways.provider === "") return;
		// If the provider is unavailable, the user stays signed in there; the session of this service has ended.
		const url = await this.#client.singleSignOn.signOutUrl().catch(() => null);
		if (url !== null) location.assign(url);
	}

	/** Ends the session after the service rejected it. The address is kept, so that signing in returns to it. */
	end(): void {
		if (this.#state.value === "signed-in") this.#become("signed-out", new Error(texts.sessionHasEnded));
	}

	async #load(): Promise<void> {
		const user = await this.#client.user({ permissions: true });
		this.#permissions = new Permissions(user.rbac, { isInstallerPresent: this.has("packInstaller") });
		this.#user.value = user;
		this.#problem.value = "";
		this.#state.value = "signed-in";
	}

	#become(state: SessionState, error?: unknown): void {
		this.#permissions = Permissions.none;
		this.#user.value = undefined;
		this.#problem.value = error === undefined ? "" : toProblem(error);
		this.#state.value = state;
	}
}

/** Returns the error of a failed single sign-on and removes it from the address, so that it is shown only once. */
function takeReturned(): Error | undefined {
	const address = new URL(location.href);
	const text = texts.singleSignOnProblems[address.searchParams.get("sign-in") ?? ""];
	if (text === undefined) return undefined;
	address.searchParams.delete("sign-in");
	history.replaceState(null, "", address);
	return new Error(text);
}

function toProblem(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error);
	return message === "Unauthorized - a token or an API key is needed" ? texts.noCookie : message;
}
