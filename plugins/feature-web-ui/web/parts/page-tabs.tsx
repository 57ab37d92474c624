import type { ComponentType } from "preact";
import { session } from "../kit/service.ts";
import { Fault } from "./fault.tsx";
import { Tabs } from "./tabs.tsx";

/** One of several tabs of a page that does not show a single record. */
export interface PageTab {
	readonly name: string;
	readonly title: string;
	/** Permission that is required to see the view. Default: none is required. */
	readonly permission?: string;
	/** Feature that the service must have, besides those that every service has. Default: none. */
	readonly feature?: string;
	readonly Shown: ComponentType;
}

interface PageTabsProps {
	/** Description of the views for screen readers. */
	readonly label: string;
	readonly views: readonly PageTab[];
	/** Name of the view in the address. If it is unknown or not permitted, the first permitted view is shown. */
	readonly chosen: string;
	readonly toViewHref: (name: string) => string;
	/** Error message for users who may see none of the views. */
	readonly refusal: string;
}

/** Shows the tabs of the views that the user may see, and the selected view. */
export function PageTabs({ label, views, chosen, toViewHref, refusal }: PageTabsProps) {
	const offered = views.filter(({ permission, feature }) => (permission === undefined || session.may(permission)) && session.has(feature));
	const current = offered.find(({ name }) => name === chosen) ?? offered[0];
	if (current === undefined) return <Fault error={new Error(refusal)} />;
	return (
		<>
			<Tabs label={label} tabs={offered.map(({ name, title }) => ({ name, title, href: toViewHref(name) }))} current={current.name} />
			<current.Shown />
		</>
	);
}
