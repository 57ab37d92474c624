import type * as client from "openid-client";
import {
	type DeviceAuthorization,
	type DeviceAuthorizationPending,
	type Identity,
	type InteractiveSignIn,
	type Logger,
	type SignInCallback,
	type SignInRedirect,
	type SignOutStatement,
	SvcError,
} from "../../core/contract/index.ts";
import { needsUserinfo, toIdentityOf } from "./claims.ts";
import type { LogoutTokenVerifier } from "./logout-token.ts";
import type { Client, Provider } from "./provider.ts";
import type { Settings } from "./settings.ts";
import { toSignOnFailure, toUnavailable } from "./sign-on-failure.ts";

interface Asking {
	readonly signal: AbortSignal;
}

interface Begin {
	readonly redirectUri: string;
	readonly state: string;
}

export interface SignOnOptions {
	readonly client: Client;
	readonly provider: Provider;
	readonly signOuts: LogoutTokenVerifier;
	readonly logger: Logger;
}

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
/** Default seconds between polls if the provider sends none. */
const defaultInterval = 5;

/** Implements the authorization code flow with PKCE, the device flow, and the sign-out URL. */
export class AuthorizationFlows implements Required<Omit<InteractiveSignIn, "label">> {
	readonly #settings: Settings;
	readonly #parts: SignOnOptions;

	constructor(settings: Settings, parts: SignOnOptions) {
		this.#settings = settings;
		this.#parts = parts;
	}

	async begin({ redirectUri, state }: Begin, { signal }: Asking): Promise<SignInRedirect> {
		const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier } = this.#parts.client;
		const opened = await this.#parts.provider.open(signal);
		const [nonce, verifier] = [randomNonce(), randomPKCECodeVerifier()];
		const url = buildAuthorizationUrl(opened, {
			redirect_uri: redirectUri,
			scope: this.#settings.scope,
			state,
			nonce,
			code_challenge: await calculatePKCECodeChallenge(verifier),
			code_challenge_method: "S256",
		});
		return { url: url.href, kept: `${nonce}.${verifier}` };
	}

	async complete({ redirectUri, state, kept, query }: SignInCallback, { signal }: Asking): Promise<Identity | undefined> {
		const [, expectedNonce, pkceCodeVerifier] = /^([\w-]{20,100})\.([\w-]{43,128})$/.exec(kept) ?? [];
		if (expectedNonce === undefined || pkceCodeVerifier === undefined) return undefined;
		const opened = await this.#parts.provider.open(signal);
		const checks = { expectedState: state, expectedNonce, pkceCodeVerifier, idTokenExpected: true };
		const answer = await this.#ask(signal, () =>
			this.#parts.client.authorizationCodeGrant(opened, new URL(`${redirectUri}?${query}`), checks),
		);
		return answer === undefined || isPending(answer) ? undefined : this.#toIdentity(opened, answer, signal);
	}

	async beginDevice({ signal }: Asking): Promise<DeviceAuthorization> {
		const opened = await this.#parts.provider.open(signal);
		if (opened.serverMetadata().device_authorization_endpoint === undefined) {
			throw new SvcError("SVC_NOT_FOUND", "the provider does not support sign-in with another device");
		}
		try {
			const begun = await this.#parts.client.initiateDeviceAuthorization(opened, { scope: this.#settings.scope });
			const { verification_uri_complete: completeUrl } = begun;
			return {
				deviceCode: begun.device_code,
				userCode: begun.user_code,
				url: begun.verification_uri,
				...(completeUrl !== undefined && { completeUrl }),
				expiresIn: begun.expires_in,
				interval: begun.interval ?? defaultInterval,
			};
		} catch (error) {
			signal.throwIfAborted();
			throw toUnavailable(error);
		}
	}

	async pollDevice(deviceCode: string, { signal }: Asking): Promise<Identity | DeviceAuthorizationPending | undefined> {
		const opened = await this.#parts.provider.open(signal);
		const answer = await this.#ask(signal, () => this.#parts.client.genericGrantRequest(opened, deviceGrant, { device_code: deviceCode }));
		return answer === undefined || isPending(answer) ? answer : this.#toIdentity(opened, answer, signal);
	}

	async signOutUrl({ returnUri }: { readonly returnUri: string }, { signal }: Asking): Promise<string | undefined> {
		const opened = await this.#parts.provider.open(signal);
		if (opened.serverMetadata().end_session_endpoint === undefined) return undefined;
		return this.#parts.client.buildEndSessionUrl(opened, { post_logout_redirect_uri: returnUri }).href;
	}

	verifySignOut(message: string, { signal }: Asking): Promise<SignOutStatement | undefined> {
		return this.#parts.signOuts.verify(message, signal);
	}

	/** Returns the result of a request, or undefined if the sign-in is refused. The log contains the reason. */
	async #ask<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T | DeviceAuthorizationPending | undefined> {
		try {
			return await ask();
		} catch (error) {
			signal.throwIfAborted();
			const failure = toSignOnFailure(error);
			if (failure.kind === "unavailable") throw failure.error;
			if (failure.kind === "pending") return { pending: true, slowDown: failure.slowDown };
			this.#parts.logger.warn("sign-in refused", { reason: failure.reason });
			return undefined;
		}
	}

	async #toIdentity(opened: client.Configuration, tokens: TokenAnswer, signal: AbortSignal): Promise<Identity | undefined> {
		const { logger } = this.#parts;
		const token = tokens.claims();
		if (token === undefined) {
			logger.warn("sign-in refused", { reason: "the response of the provider contains no ID token" });
			return undefined;
		}
		const userinfo = await this.#askUserinfo(opened, tokens, signal);
		if (userinfo === undefined) return undefined;
		return toIdentityOf({ issuer: token.iss, subject: token.sub, token, userinfo }, this.#settings, logger);
	}

	/**
	 * Returns the claims of the userinfo endpoint, an empty object if they are not needed or there is no endpoint, or undefined if the sign-in
	 * is refused, for example because the response is about another user.
	 */
	async #askUserinfo(opened: client.Configuration, tokens: TokenAnswer, signal: AbortSignal): Promise<Record<string, unknown> | undefined> {
		const token = tokens.claims();
		const hasPlace = opened.serverMetadata().userinfo_endpoint !== undefined;
		if (token === undefined || !hasPlace || !needsUserinfo(token, this.#settings)) return {};
		const answer = await this.#ask(signal, () => this.#parts.client.fetchUserInfo(opened, tokens.access_token, token.sub));
		return answer === undefined || isPending(answer) ? undefined : { ...answer };
	}
}

type TokenAnswer = Awaited<ReturnType<Client["genericGrantRequest"]>>;

function isPending(answer: object): answer is DeviceAuthorizationPending {
	return "pending" in answer;
}
