import type { ComponentType } from "preact";
import { session } from "../kit/service.ts";
import { Fault } from "./fault.tsx";
import { Tabs } from "./tabs.tsx";

/** One of several views of a page that is about no single record. */
export interface PageView {
	readonly name: string;
	readonly title: string;
	/** The permission without which it is not offered. Default: none is needed. */
	readonly permission?: string;
	readonly Shown: ComponentType;
}

interface PageViewsProps {
	/** What the views are, for a screen reader. */
	readonly label: string;
	readonly views: readonly PageView[];
	/** The one that the address names; any other name, and one that is not offered, is the first. */
	readonly chosen: string;
	readonly toViewHref: (name: string) => string;
	/** What is said to somebody to whom none is offered. */
	readonly refusal: string;
}

/** The views of a page that somebody may see, and the one that is chosen. */
export function PageViews({ label, views, chosen, toViewHref, refusal }: PageViewsProps) {
	const offered = views.filter(({ permission }) => permission === undefined || session.may(permission));
	const current = offered.find(({ name }) => name === chosen) ?? offered[0];
	if (current === undefined) return <Fault error={new Error(refusal)} />;
	return (
		<>
			<Tabs label={label} tabs={offered.map(({ name, title }) => ({ name, title, href: toViewHref(name) }))} current={current.name} />
			<current.Shown />
		</>
	);
}
