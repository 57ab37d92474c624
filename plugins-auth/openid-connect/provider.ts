import type * as client from "openid-client";
import type { Clock } from "../../core/contract/index.ts";
import type { Settings } from "./settings.ts";
import { toUnavailable } from "./sign-on-failure.ts";

export type Client = typeof client;

/** Microseconds for which the metadata of the provider is cached. */
const knownFor = 3_600_000_000;
/** Maximum bytes of a response of the provider, which limits memory. */
const maxAnswerLength = 1_048_576;

export interface ProviderOptions {
	readonly client: Client;
	readonly clock: Clock;
	readonly secret: string | undefined;
}

/**
 * The provider and its metadata. The metadata is read at the first sign-in, so that the start of the service does not wait for the
 * provider.
 */
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
	 * Creates a configuration for requests to the provider. Each sign-in gets a new one and therefore reads the keys again, so that a
	 * withdrawn key is refused from then on. Throws `SVC_UNAVAILABLE` if the metadata cannot be read.
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
		// Without this call, the package does not verify the signature of a token that it received from the provider over TLS.
		enableNonRepudiationChecks(opened);
		return opened;
	}

	/** Returns metadata of the provider that is at most one hour old. If it cannot be refreshed, the previous metadata is used. */
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

	/**
	 * Returns the current signing keys of the provider; concurrent callers share a request. Throws `SVC_UNAVAILABLE` if they cannot be
	 * read.
	 */
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
				throw new TypeError("the address of its keys must begin with https:");
			}
			const request = { headers: {}, method: "GET", body: undefined, redirect: "manual" } as const;
			const response = await fetchBounded(address, request, AbortSignal.timeout(networkTimeout * 1_000));
			if (response.status !== 200) throw new TypeError(`the response with its keys has the status ${response.status}`);
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
		// In the header all other characters are percent-encoded, which some providers do not decode.
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
		if (length > maxAnswerLength) throw new TypeError("its response is too long");
		chunks.push(chunk);
	}
	return new Uint8Array(Buffer.concat(chunks));
}

/** Reads a value again for each caller. Callers that arrive while a read is in progress share the next one. */
export class FreshRead<T> {
	readonly #read: () => Promise<T>;
	#underWay: Promise<T> | undefined;
	#next: Promise<T> | undefined;

	constructor(read: () => Promise<T>) {
		this.#read = read;
	}

	/** Returns a value read after this call. A read in progress may have missed a change, so it is not used. */
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
