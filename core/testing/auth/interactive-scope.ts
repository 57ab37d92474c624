import type { Identity, InteractiveSignIn } from "../../contract/index.ts";
import type { HostileProvider } from "./hostile-provider.ts";

/** What a statement about sign-in with a provider is given. */
export interface Scope {
	readonly provider: HostileProvider;
	readonly interactive: InteractiveSignIn;
	/** A whole sign-in, as of a browser. */
	signIn(): Promise<Identity | undefined>;
}

/** States a promise. */
export type Check = (statement: string, run: (scope: Scope) => Promise<void>) => void;
