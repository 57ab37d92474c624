import type * as client from "openid-client";
import type { Clock } from "../../core/contract/index.ts";
import { toUnavailable } from "./failure.ts";
import type { Settings } from "./settings.ts";

export type Client = typeof client;

/** Microseconds for which what the provider says of itself is believed. */
const knownFor = 3_600_000_000;
/** Bytes of an answer; more would only fill the memory. */
const longestAnswer = 1_048_576;

export interface ProviderOptions {
	readonly client: Client;
	readonly clock: Clock;
	readonly secret: string | undefined;
}

/** The provider, as it describes itself. It is asked when somebody first signs in: a start waits for nobody. */
export class Provider {
	readonly #settings: Settings;
	readonly #parts: ProviderOptions;
	#known: { readonly metadata: client.ServerMetadata; readonly until: number } | undefined;
	#asking: Promise<client.ServerMetadata> | undefined;
	readonly #keys = new FreshRead(() => this.#readKeys());

	constructor(settings: Settings, parts: ProviderOptions) {
		this.#settings = settings;
		this.#parts = parts;
	}

	/**
	 * To ask it with. A new one each time: so the keys are asked for at each sign-in, and one that the provider has withdrawn counts no more from
	 * then on. `SVC_UNAVAILABLE` when it cannot be found out what it can do.
	 */
	async open(signal: AbortSignal): Promise<client.Configuration> {
		const { Configuration, allowInsecureRequests, enableNonRepudiationChecks, clockTolerance } = this.#parts.client;
		const metadata = await this.metadata();
		signal.throwIfAborted();
		const opened = new Configuration(
			metadata,
			this.#settings.clientId,
			{ [clockTolerance]: this.#settings.clockTolerance },
			this.#toClientAuth(metadata),
		);
		opened[this.#parts.client.customFetch] = (url, options) => fetchBounded(url, options, signal);
		opened.timeout = this.#settings.networkTimeout;
		if (this.#settings.issuer.protocol === "http:") allowInsecureRequests(opened);
		// Without it the signature of what comes over TLS from the provider itself is not looked at.
		enableNonRepudiationChecks(opened);
		return opened;
	}

	/** What it says of itself, of late. Once known it is good until the provider can be asked again. */
	async metadata(): Promise<client.ServerMetadata> {
		const known = this.#known;
		if (known !== undefined && this.#parts.clock.now() < known.until) return known.metadata;
		this.#asking ??= this.#discover().finally(() => {
			this.#asking = undefined;
		});
		try {
			return await this.#asking;
		} catch (error) {
			if (known === undefined) throw error;
			return known.metadata;
		}
	}

	async #discover(): Promise<client.ServerMetadata> {
		const { discovery, allowInsecureRequests, None } = this.#parts.client;
		const { issuer, clientId, networkTimeout } = this.#settings;
		try {
			const found = await discovery(issuer, clientId, undefined, None(), {
				[this.#parts.client.customFetch]: (url, options) => fetchBounded(url, options),
				timeout: networkTimeout,
				...(issuer.protocol === "http:" && { execute: [allowInsecureRequests] }),
			});
			const metadata = found.serverMetadata();
			this.#known = { metadata, until: this.#parts.clock.now() + knownFor };
			return metadata;
		} catch (error) {
			throw toUnavailable(error);
		}
	}

	/** The keys that it signs with, as they are now; who ask together share a read. `SVC_UNAVAILABLE`. */
	async keys(signal: AbortSignal): Promise<unknown> {
		const keys = await this.#keys.get();
		signal.throwIfAborted();
		return keys;
	}

	async #readKeys(): Promise<unknown> {
		const { jwks_uri: address = "" } = await this.metadata();
		const { issuer, networkTimeout } = this.#settings;
		try {
			if (!URL.canParse(address) || !["https:", issuer.protocol].includes(new URL(address).protocol)) {
				throw new TypeError("its keys are at no https: address");
			}
			const request = { headers: {}, method: "GET", body: undefined, redirect: "manual" } as const;
			const response = await fetchBounded(address, request, AbortSignal.timeout(networkTimeout * 1_000));
			if (response.status !== 200) throw new TypeError(`it answers ${response.status} where its keys are`);
			return await response.json();
		} catch (error) {
			throw toUnavailable(error);
		}
	}

	#toClientAuth({ token_endpoint_auth_methods_supported: supported }: client.ServerMetadata): client.ClientAuth {
		const { ClientSecretBasic, ClientSecretPost, None } = this.#parts.client;
		const { clientAuth, clientId } = this.#settings;
		const { secret } = this.#parts;
		if (secret === undefined) return None();
		const takes = (method: string) => supported?.includes(method) ?? method === "client_secret_basic";
		// In the header all else is encoded once more, which some providers do not take back.
		const isPlain = /^[A-Za-z0-9]+$/.test(clientId + secret);
		const prefersBasic = takes("client_secret_basic") && (isPlain || !takes("client_secret_post"));
		const isBasic = clientAuth === "auto" ? prefersBasic : clientAuth === "client_secret_basic";
		return isBasic ? ClientSecretBasic(secret) : ClientSecretPost(secret);
	}
}

async function fetchBounded(url: string, options: client.CustomFetchOptions, signal?: AbortSignal): Promise<Response> {
	const signals = [options.signal, signal].filter((each) => each !== undefined);
	const { headers, method, body } = options;
	const init = { headers, method, redirect: "manual", ...(body != null && { body: body as RequestInit["body"] & {} }) } as const;
	const response = await fetch(url, { ...init, ...(signals.length > 0 && { signal: AbortSignal.any(signals) }) });
	return new Response(await readBounded(response), { status: response.status, headers: response.headers });
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
	if (response.body === null) return null;
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of response.body) {
		length += chunk.length;
		if (length > longestAnswer) throw new TypeError("its answer is too long");
		chunks.push(chunk);
	}
	return new Uint8Array(Buffer.concat(chunks));
}

/** Reads something anew for whoever asks, but once for all who ask while the read before is under way. */
export class FreshRead<T> {
	readonly #read: () => Promise<T>;
	#underWay: Promise<T> | undefined;
	#next: Promise<T> | undefined;

	constructor(read: () => Promise<T>) {
		this.#read = read;
	}

	/** What is there now or later: a read that has begun may have missed it. */
	get(): Promise<T> {
		if (this.#underWay === undefined) return this.#begin();
		const begin = () => {
			this.#next = undefined;
			return this.#begin();
		};
		return (this.#next ??= this.#underWay.then(begin, begin));
	}

	#begin(): Promise<T> {
		const reading = this.#read().finally(() => {
			if (this.#underWay === reading) this.#underWay = undefined;
		});
		this.#underWay = reading;
		return reading;
	}
}
