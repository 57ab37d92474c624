import type { JsonObject } from "../contract/index.ts";
import type { Route } from "./route.ts";
import type { RoutePermission } from "./route-permission.ts";

/** Sections of the navigation of the web page, in order. */
export const pageGroups = ["Watch", "Automate", "Manage"] as const;

/** An entry that a feature adds to the navigation of the web page: a table of the records that a route returns. */
export interface PageEntry {
	/** Title in the navigation and of the page. */
	readonly title: string;
	/** Section of the navigation. Default: `Manage`. */
	readonly group?: (typeof pageGroups)[number];
	/**
	 * Route of the feature that lists the records: a GET route of the API without variables in its path. Users who have its permission see the
	 * entry. If it declares `limit` and `offset` (`pagingQuery`), the page requests one page of records at a time.
	 */
	readonly list: Route;
	/** Members of the records that the columns show, with the titles of the columns. */
	readonly columns: readonly (readonly [member: string, title: string])[];
}

/** The parts of a feature that concern its entries. */
interface FeatureWithEntries {
	readonly routes?: readonly Route[];
	readonly pageEntries?: readonly PageEntry[];
}

/** Returns the entries of features that a user may see, in their wire form. */
export function listPageEntries(
	features: readonly FeatureWithEntries[],
	isPermitted: (permission: RoutePermission) => boolean,
): readonly JsonObject[] {
	const entries = features.flatMap(({ pageEntries = [] }) => pageEntries).filter(({ list }) => isPermitted(list.permission));
	return entries.map(({ title, group = "Manage", list, columns }) => ({
		title,
		group,
		path: list.path,
		is_paged: list.query?.["limit"] !== undefined && list.query["offset"] !== undefined,
		columns: columns.map(([member, title]) => ({ member, title })),
	}));
}

/** Throws if `list` of an entry is not a GET route of the same feature, in the API and without variables. */
export function assertPageEntries(features: readonly FeatureWithEntries[]): void {
	for (const { pageEntries = [], routes = [] } of features) {
		for (const { title, list } of pageEntries) {
			const isListable = list.method === "GET" && list.component === "api" && !/[:*]/.test(list.path) && routes.includes(list);
			if (!isListable) throw new Error(`page entry "${title}": list must be a GET route of the feature, in the API and without variables`);
		}
	}
}
