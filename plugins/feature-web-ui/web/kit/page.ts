import type { ComponentType } from "preact";
import { session } from "./service.ts";

/** Properties of a page: the values of the `:names` of its path. */
export interface PageProps {
	readonly values: Readonly<Record<string, string>>;
}

/** Entry of a page in the list of pages (`pages.ts`). */
export interface PageDefinition {
	/** Path after the `#`, such as `/history/:id`. A part such as `:view?` may be missing. */
	readonly path: string;
	/** Title in the navigation, in the browser window and in the palette. */
	readonly title: string;
	/** Permission that is required to see the page; if it is a list, any one of them. Default: none is required. */
	readonly permission?: string | readonly string[];
	/** Feature that the service must have, besides those that every service has. Default: none. */
	readonly feature?: string;
	/** Section of the navigation. Default: the page is not in the navigation. */
	readonly group?: PageGroup;
	/** Loads the code of the page when the user opens it. */
	load(): Promise<{ readonly Page: ComponentType<PageProps> }>;
}

/** Sections of the navigation, in order. */
export const pageGroups = ["Watch", "Automate", "Manage"] as const;

export type PageGroup = (typeof pageGroups)[number];

/** Returns true if the navigation contains the page, the service has its feature, and the user has one of its permissions. */
export function isOffered({ group, feature, permission = [] }: PageDefinition): boolean {
	const permissions = [permission].flat();
	return group !== undefined && session.has(feature) && (permissions.length === 0 || permissions.some((each) => session.may(each)));
}
