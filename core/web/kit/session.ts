import { type ReadonlySignal, signal } from "@preact/signals";
import { isSvcError } from "../../contract/errors.ts";
import type { Client, UserRecord } from "../../features/clients.ts";
import { Permissions } from "./permissions.ts";

/** `unknown` until the service has said who asks. */
export type SessionState = "unknown" | "signed-out" | "signed-in" | "unreachable";

/** How the service lets people in, which the page is told with its first bytes. */
export interface SignInWays {
	/** `none`: nobody has to. `proxy`: whoever the proxy in front of the service names. */
	readonly way: "none" | "password" | "proxy";
	readonly takesPasswords: boolean;
	/** What the provider of single sign-on is called; empty where there is none. */
	readonly provider: string;
}

/** What the address says of a sign-in with the provider that came to nothing. */
const returned: Readonly<Record<string, string>> = {
	refused:
		"The sign-in was refused: it was not finished in this browser within ten minutes, or you may not sign in here. The log of the service says why.",
	unavailable: "The provider of the sign-in cannot be reached. Try again.",
};

/**
 * Who looks at the page. The token is in a cookie that no script can read, so neither can one that somebody smuggles in: the page knows it
 * for the moment of signing in, and does not keep it.
 */
export class Session {
	readonly ways: SignInWays;
	readonly #client: Client;
	readonly #state = signal<SessionState>("unknown");
	readonly #user = signal<UserRecord | undefined>(undefined);
	readonly #problem = signal("");
	#permissions = Permissions.none;

	constructor(client: Client, { dataset }: HTMLElement) {
		const { signIn = "password", passwords, provider = "" } = dataset;
		this.#client = client;
		this.ways = { way: signIn as SignInWays["way"], takesPasswords: passwords !== "false", provider };
	}

	get state(): ReadonlySignal<SessionState> {
		return this.#state;
	}

	get user(): ReadonlySignal<UserRecord | undefined> {
		return this.#user;
	}

	/** Why nobody is signed in, in words; empty when there is nothing to say. */
	get problem(): ReadonlySignal<string> {
		return this.#problem;
	}

	/** Whether whoever looks may do this: what they may not do is not offered. `uid` names the record; without it: any at all. */
	may(permission: string, uid?: string): boolean {
		// Read, so that what depends on it is drawn anew.
		return this.#user.value !== undefined && this.#permissions.allow(permission, uid);
	}

	/** Ask who it is by the cookie. A proxy that knows whoever comes signs them in without a question. */
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

	/** With a name and a password, or behind a proxy without. What fails is said in `problem`. */
	async signIn(credentials?: { readonly username: string; readonly password: string }): Promise<void> {
		try {
			await (credentials === undefined ? this.#client.signInByProxy() : this.#client.signIn(credentials));
			await this.#load();
		} catch (error) {
			this.#become("signed-out", error);
			return;
		}
	}

	/** Go to the provider, and come back to where somebody is now. */
	async signInElsewhere(): Promise<void> {
		try {
			location.assign(await this.#client.singleSignOn.begin(location.hash.replace(/^#/, "")));
		} catch (error) {
			this.#become("signed-out", error);
		}
	}

	/** End the token, in the service too, and the session at the provider where there is one. */
	async signOut(): Promise<void> {
		await this.#client.signOut().catch((error: unknown) => {
			// It has ended already.
			if (!isSvcError(error, "SVC_UNAUTHORIZED") && !isSvcError(error, "SVC_NOT_FOUND")) throw error;
		});
		this.#become("signed-out");
		if (this.ways.provider === "") return;
		// While the provider is away nobody signs out there; here it is done.
		const url = await this.#client.singleSignOn.signOutUrl().catch(() => null);
		if (url !== null) location.assign(url);
	}

	/** The service has said that the session is over. The address stays, so that signing in leads back to it. */
	end(): void {
		if (this.#state.value === "signed-in") this.#become("signed-out", new Error("Your session has ended. Sign in to go on."));
	}

	async #load(): Promise<void> {
		const user = await this.#client.user({ permissions: true });
		this.#permissions = new Permissions(user.rbac);
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

/** Said once: the address loses it. */
function takeReturned(): Error | undefined {
	const address = new URL(location.href);
	const text = returned[address.searchParams.get("sign-in") ?? ""];
	if (text === undefined) return undefined;
	address.searchParams.delete("sign-in");
	history.replaceState(null, "", address);
	return new Error(text);
}

function toProblem(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error);
	return message === "Unauthorized - a token or an API key is needed"
		? "The browser has not kept the session: over plain HTTP it keeps none unless api.auth_cookie_secure is false. Use HTTPS."
		: message;
}
