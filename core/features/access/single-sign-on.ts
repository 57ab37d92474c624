import { randomBytes, timingSafeEqual } from "node:crypto";
import {
	type DeviceAuthorization,
	type DeviceAuthorizationPending,
	type Identity,
	type InteractiveSignIn,
	isSvcError,
	SvcError,
} from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { toEndedSignIn, toIdentity } from "../../kernel/basics/plugin-results.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { callWithTimeout } from "./auth-backend-call.ts";
import { toClientNetwork } from "./client-network.ts";
import type { VerifiedCredentials } from "./credentials.ts";
import type { IssuedToken } from "./credentials-exports.ts";
import { SignInConcurrency, type SignInConcurrencyLimits } from "./sign-in-concurrency.ts";
import { SignInRecords } from "./sign-in-records.ts";
import type { BegunSignIn, DevicePoll, FinishedSignIn, ReturnedBrowser, SignInCaller, SingleSignOn } from "./single-sign-on-exports.ts";

/**
 * Limits for sign-out messages. A provider may end many sessions at once from one address, for example of a whole organization, and few
 * providers repeat a message. The messages are not guesses, and a backend verifies many of them with data that it requests once.
 */
const messageLimits: SignInConcurrencyLimits = { underWay: 64, atAddress: 64, waitingAtAddress: 2_000, waiting: 4_000, wait: 30_000 };

export interface SingleSignOnDependencies extends Uses<"options" | "storage" | "clock" | "logger">, Pick<Kernel, "authBackend"> {
	readonly credentials: Pick<VerifiedCredentials, "signInVerified" | "endSignIns" | "removeToken">;
	/** Seconds a backend may take to answer. */
	readonly backendTimeout?: number;
}

/** Sign-in with the provider of the auth backend. Manages the cookie, ensures that no sign-in is used twice, and issues the tokens. */
export class ProviderSignOn implements SingleSignOn {
	readonly offer: SingleSignOn["offer"];
	readonly #parts: SingleSignOnDependencies;
	readonly #interactive: InteractiveSignIn | undefined;
	readonly #records: SignInRecords;
	readonly #gate = new SignInConcurrency();
	/** Separate limit for sign-out messages, so that they do not wait for sign-ins. */
	readonly #messages = new SignInConcurrency(messageLimits);

	constructor(parts: SingleSignOnDependencies) {
		const { auth } = parts.options;
		// In proxy mode the proxy has already authenticated the user.
		const interactive = auth.enable && auth.mode !== "proxy" ? parts.authBackend?.interactive : undefined;
		this.#parts = parts;
		this.#interactive = interactive;
		this.#records = new SignInRecords(parts);
		this.offer = interactive && { label: interactive.label, devices: interactive.beginDevice !== undefined };
	}

	async begin({ redirectUri, place, signal }: Parameters<SingleSignOn["begin"]>[0]): Promise<BegunSignIn> {
		const interactive = this.#provider();
		const state = randomBytes(32).toString("base64url");
		const { url, kept } = await this.#ask((own) => interactive.begin({ redirectUri, state }, { signal: own }), signal);
		assertLeadsToWeb(url);
		return { url, kept: writeKept({ state, kept, place: toPlace(place) }) };
	}

	async complete({ redirectUri, query, kept: text, remoteAddress, signal }: ReturnedBrowser): Promise<FinishedSignIn> {
		const interactive = this.#provider();
		const begun = readKept(text);
		const returned = new URLSearchParams(query).getAll("state");
		if (begun === undefined || returned.length !== 1 || !isSame(returned[0] ?? "", begun.state)) {
			throw this.#refuse("it was not started in this browser, or took too long", remoteAddress);
		}
		const { state, kept, place } = begun;
		const asked = this.#parts.clock.now();
		const answer = await this.#verify({ remoteAddress, signal }, (own) =>
			interactive.complete({ redirectUri, state, kept, query }, { signal: own }),
		);
		const identity = toIdentity(answer);
		if (identity === undefined) throw this.#refuse("the provider did not authenticate the user", remoteAddress);
		return { issued: await this.#issue(identity, state, { remoteAddress, ttl: null, asked }), place };
	}

	async beginDevice({ remoteAddress, signal }: SignInCaller): Promise<DeviceAuthorization> {
		const interactive = this.#deviceProvider();
		return this.#verify({ remoteAddress, signal }, (own) => interactive.beginDevice({ signal: own }));
	}

	async pollDevice({ deviceCode, ttl, remoteAddress, signal }: DevicePoll): Promise<IssuedToken | DeviceAuthorizationPending> {
		const interactive = this.#deviceProvider();
		const asked = this.#parts.clock.now();
		const answer = await this.#verify({ remoteAddress, signal }, (own) => interactive.pollDevice(deviceCode, { signal: own }));
		if (answer !== undefined && "pending" in answer) return answer;
		const identity = toIdentity(answer);
		if (identity === undefined) throw this.#refuse("the user did not confirm it in time", remoteAddress);
		return this.#issue(identity, deviceCode, { remoteAddress, ttl, asked });
	}

	async endByProvider({ message, remoteAddress, signal }: Parameters<SingleSignOn["endByProvider"]>[0]): Promise<void> {
		const interactive = this.#provider();
		const answer = await this.#verify(
			{ remoteAddress, signal },
			async (own) => {
				if (interactive.verifySignOut === undefined)
					throw new SvcError("SVC_NOT_FOUND", "the provider does not identify the user who signed out");
				return interactive.verifySignOut(message, { signal: own });
			},
			this.#messages,
		);
		const ended = toEndedSignIn(answer);
		if (ended === undefined) throw this.#refuseMessage("not issued by the provider, for another service, or too old", remoteAddress);
		const said = `said ${ended.id}`;
		// Mark the message as processed last: if a step fails, the provider can send the message again.
		if (await this.#records.isUsed(said)) throw this.#refuseMessage("already used", remoteAddress);
		await this.#records.noteEnd(ended);
		await this.#parts.credentials.endSignIns(ended);
		await this.#records.use(said);
	}

	async signOutUrl({ returnUri, signal }: Parameters<SingleSignOn["signOutUrl"]>[0]): Promise<string | undefined> {
		const interactive = this.#provider();
		const url = await this.#ask((own) => interactive.signOutUrl?.({ returnUri }, { signal: own }), signal);
		if (url !== undefined) assertLeadsToWeb(url);
		return url;
	}

	/** Issues the token of a sign-in, at most once, even if the provider accepts a code again. */
	async #issue(
		identity: Identity,
		signIn: string,
		{ remoteAddress, ttl, asked }: Pick<DevicePoll, "remoteAddress" | "ttl"> & { readonly asked: number },
	): Promise<IssuedToken> {
		const { credentials } = this.#parts;
		if (!(await this.#records.use(signIn))) throw this.#refuse("it is already completed", remoteAddress);
		const issued = await credentials.signInVerified(identity, { ttl, remoteAddress });
		if (!(await this.#records.hasEnded(identity, asked))) return issued;
		await credentials.removeToken(issued.id);
		throw this.#refuse("the provider has ended the session in the meantime", remoteAddress);
	}

	/** Sends a request to the backend when a slot is free. Requests are limited because each needs a connection to the provider. */
	#verify<T>({ remoteAddress, signal }: SignInCaller, ask: (signal: AbortSignal) => Promise<T>, gate = this.#gate): Promise<T> {
		const pair = randomBytes(16).toString("hex");
		const subject = { pair, address: toClientNetwork(remoteAddress ?? ""), isKnown: false };
		return gate.run(subject, () => this.#ask(ask, signal), signal);
	}

	async #ask<T>(ask: (signal: AbortSignal) => Promise<T> | T, signal: AbortSignal): Promise<T> {
		const { logger, backendTimeout: timeout } = this.#parts;
		try {
			return await callWithTimeout(ask, { signal, timeout });
		} catch (error) {
			if (!signal.aborted) logger.error("sign-in could not be verified", { error });
			// Any other error means that the backend failed, not that it refused the user.
			throw signal.aborted || isSvcError(error) ? error : new SvcError("SVC_UNAVAILABLE", "the sign-in could not be verified");
		}
	}

	#provider(): InteractiveSignIn {
		if (this.#interactive === undefined) throw new SvcError("SVC_NOT_FOUND", "single sign-on is not configured");
		return this.#interactive;
	}

	#deviceProvider(): Required<Pick<InteractiveSignIn, "beginDevice" | "pollDevice">> {
		const interactive = this.#provider();
		if (interactive.beginDevice === undefined || interactive.pollDevice === undefined) {
			throw new SvcError("SVC_NOT_FOUND", "the provider does not support sign-in with another device");
		}
		return interactive as Required<InteractiveSignIn>;
	}

	/** Logs a refused sign-out message and returns the error, with status 400 as providers expect. */
	#refuseMessage(reason: string, remoteAddress: string | undefined): SvcError {
		const origin = remoteAddress === undefined ? {} : { remote_address: remoteAddress };
		this.#parts.logger.warn("sign-out notification refused", { reason, ...origin });
		return new SvcError("SVC_INVALID", `logout_token: ${reason}`);
	}

	#refuse(reason: string, remoteAddress: string | undefined): SvcError {
		this.#parts.logger.warn("token refused: single sign-on", {
			reason,
			...(remoteAddress !== undefined && { remote_address: remoteAddress }),
		});
		return new SvcError("SVC_UNAUTHORIZED", `Unauthorized - the sign-in is refused: ${reason}`);
	}
}

/** Throws `SVC_UNAVAILABLE` unless the address is `http:` or `https:`. The page opens it, so `javascript:` would run code in the page. */
function assertLeadsToWeb(url: string): void {
	if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
	throw new SvcError("SVC_UNAVAILABLE", "the auth backend returned an invalid URL");
}

function isSame(given: string, expected: string): boolean {
	const [one, other] = [Buffer.from(given), Buffer.from(expected)];
	return one.length === other.length && timingSafeEqual(one, other);
}

/** Content of the cookie that a browser holds while its user signs in at the provider. */
interface KeptSignIn {
	/** Random value that the provider returns. If it differs, the sign-in was started in another browser and is refused. */
	readonly state: string;
	/** Data that the auth backend needs to complete the sign-in. */
	readonly kept: string;
	/** Path within the web page that the user wanted to open. */
	readonly place: string;
}

const maxPlaceLength = 1_000;
const maxStoredLength = 4_000;

/** Encodes the content as the value of a cookie. */
function writeKept(kept: KeptSignIn): string {
	return Buffer.from(JSON.stringify(kept)).toString("base64url");
}

/** Decodes a cookie. Returns undefined if this service cannot have written it. */
function readKept(text: string | undefined): KeptSignIn | undefined {
	if (text === undefined || text.length > maxStoredLength) return undefined;
	try {
		const { state, kept, place } = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as Partial<
			Record<keyof KeptSignIn, unknown>
		>;
		if (!isToken(state) || !isToken(kept) || typeof place !== "string") return undefined;
		return { state, kept, place: toPlace(place) };
	} catch {
		return undefined;
	}
}

/**
 * Returns a path within the web page, the part of its address after `#`. It can never lead to another host. Returns the start page for a
 * string that is too long or not allowed in a header.
 */
function toPlace(place: string): string {
	return place.length <= maxPlaceLength && /^\/[!-~]*$/.test(place) ? place : "/";
}

function isToken(value: unknown): value is string {
	return typeof value === "string" && /^[\w.~-]{1,1000}$/.test(value);
}
