import type { Options } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Dialects } from "../../language/dialects.ts";
import type { ServiceTokens } from "../access/service-tokens-api.ts";

/** In whose name processes of sensors call the API (reference 9.4). */
const user = "sensors_container";
/** Longest that a timer waits, in milliseconds. */
const longestWait = 2 ** 31 - 1;

export interface SensorAccessOptions extends Uses<"logger"> {
	readonly serviceTokens: ServiceTokens;
	readonly dialects: Pick<Dialects, "environment">;
	/** Address of the API, without the version. */
	readonly apiUrl: () => string;
	readonly options: Pick<Options, "auth">;
}

/** A sensor's way into the API, while it runs. */
export interface OpenAccess {
	/** Variables for its process. */
	readonly environment: Readonly<Record<string, string>>;
	/** What of them must not show. */
	readonly secrets: readonly string[];
	/** End it. Never rejects. */
	close(): Promise<void>;
}

/** Gives sensors of packs the address of the API, and a token that lasts as long as their run. */
export class SensorAccess {
	readonly #parts: SensorAccessOptions;

	constructor(parts: SensorAccessOptions) {
		this.#parts = parts;
	}

	async open(ref: string): Promise<OpenAccess> {
		const { serviceTokens, dialects, apiUrl, options, logger } = this.#parts;
		const address = { SVC_ACTION_API_URL: `${apiUrl()}/v1` };
		const opened = await serviceTokens.open(user, { service: "sensorcontainer", sensor: ref });
		if (opened === undefined) return { environment: dialects.environment(address), secrets: [], close: async () => {} };
		const warn = (message: string) => (error: unknown) => logger.warn(message, { sensor: ref, error });
		const renewal = setInterval(
			() => void opened.renew().catch(warn("the token of a sensor was not renewed; will be tried again")),
			Math.min((options.auth.service_token_ttl * 1_000) / 3, longestWait),
		);
		renewal.unref();
		return {
			environment: dialects.environment({ ...address, SVC_ACTION_AUTH_TOKEN: opened.token }),
			secrets: [opened.token],
			async close() {
				clearInterval(renewal);
				await opened.end().catch(warn("the token of a sensor was not taken away"));
			},
		};
	}
}

/** What sensors of the configuration have: they run in the service. */
export const noAccess: OpenAccess = { environment: {}, secrets: [], close: async () => {} };
