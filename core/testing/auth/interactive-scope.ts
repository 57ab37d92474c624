import type { Identity, InteractiveSignIn } from "../../contract/index.ts";
import type { OidcTestProvider } from "./oidc-test-provider.ts";

/** Arguments of a provider sign-in check. */
export interface Scope {
	readonly provider: OidcTestProvider;
	readonly interactive: InteractiveSignIn;
	/** Carries out a complete sign-in as a browser would. */
	signIn(): Promise<Identity | undefined>;
}

/** Registers the test of one promise. */
export type Check = (statement: string, run: (scope: Scope) => Promise<void>) => void;
