import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { ProcessTokens } from "../access/process-tokens-exports.ts";

/** User under which processes of sensors call the API. */
const user = "sensors_container";
/** Maximum delay of a timer in Node.js, in milliseconds. */
const maxWait = 2 ** 31 - 1;

export interface SensorAccessDependencies extends Uses<"logger" | "dialects" | "options"> {
	readonly processTokens: ProcessTokens;
	/** Address of the API, without the version. */
	readonly apiUrl: () => string;
}

/** API access of a sensor while it runs. */
export interface OpenAccess {
	/** Environment variables for the process of the sensor. */
	readonly environment: Readonly<Record<string, string>>;
	/** Values in the environment that must be masked. */
	readonly secrets: readonly string[];
	/** Ends the access. Never rejects. */
	close(): Promise<void>;
}

/** Provides sensors of packs with the address of the API, and with a token that is valid during their run. */
export class SensorAccess {
	readonly #parts: SensorAccessDependencies;

	constructor(parts: SensorAccessDependencies) {
		this.#parts = parts;
	}

	async open(ref: string): Promise<OpenAccess> {
		const { processTokens, dialects, apiUrl, options, logger } = this.#parts;
		const address = { SVC_ACTION_API_URL: `${apiUrl()}/v1` };
		const opened = await processTokens.open(user, { service: "sensorcontainer", sensor: ref });
		if (opened === undefined) return { environment: dialects.environment(address), secrets: [], close: async () => {} };
		const warn = (message: string) => (error: unknown) => logger.warn(message, { sensor: ref, error });
		const renewal = setInterval(
			() => void opened.renew().catch(warn("the token of a sensor was not renewed; it will be retried")),
			Math.min((options.auth.service_token_ttl * 1_000) / 3, maxWait),
		);
		renewal.unref();
		return {
			environment: dialects.environment({ ...address, SVC_ACTION_AUTH_TOKEN: opened.token }),
			secrets: [opened.token],
			async close() {
				clearInterval(renewal);
				await opened.end().catch(warn("the token of a sensor was not revoked"));
			},
		};
	}
}

/** Access for sensors that the configuration defines: none, because they run in the service process. */
export const noAccess: OpenAccess = { environment: {}, secrets: [], close: async () => {} };
