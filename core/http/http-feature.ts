import type { Feature } from "../kernel/feature.ts";
import type { AuditHook } from "./audit-hook.ts";
import type { PageEntry } from "./page-entries.ts";
import type { Reply } from "./replies.ts";
import type { Route } from "./route.ts";

/** A feature that also answers requests. */
export interface HttpFeature<Api extends object = object> extends Feature<Api> {
	/** Routes of the feature. Each declares its permission. The handlers use the engine members that `api` adds. */
	readonly routes?: readonly Route[];
	/**
	 * Returns the page that a browser gets at the root of the service. It is shown before sign-in, so it must not contain data. The first
	 * feature that defines it provides it. Default: a placeholder page that names the other ways to use the service.
	 *
	 * @param features names of all features of the service
	 */
	readonly page?: (features: readonly string[]) => Reply;
	/**
	 * Returns the home page of a documentation site, which clients get at `/docs/`. The first feature that defines it provides it. Default:
	 * `/docs/` is another address of the API description.
	 */
	readonly documentation?: (request: Request) => Promise<Reply>;
	/** Entries of the web page. Default: none. */
	readonly pageEntries?: readonly PageEntry[];
	/** Audit hook: records changes by requests, and refused requests. The first feature that defines it provides it. Default: none. */
	readonly auditHook?: AuditHook;
}
