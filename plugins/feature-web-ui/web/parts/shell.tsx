import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { attempt, notices } from "../kit/notices.ts";
import { isOffered, type PageDefinition, pageGroups } from "../kit/page.ts";
import { addressBar } from "../kit/router.ts";
import { live, session } from "../kit/service.ts";
import { allPages, pages } from "../pages.ts";
import { Commands } from "../palette/commands.tsx";
import * as texts from "../texts/frame.ts";
import { ThemeChoice } from "./theme-choice.tsx";

/** Shows the frame of every page: the header, the navigation and the notices. */
export function Shell({ current, children }: { readonly current: PageDefinition | undefined; readonly children: ComponentChildren }) {
	const main = useRef<HTMLElement>(null);
	const { path } = addressBar.current.value;
	const isFirst = useRef(true);
	// Move the focus to the content after navigation to another page, so that screen readers continue there.
	useEffect(() => {
		if (!isFirst.current) main.current?.focus({ preventScroll: true });
		isFirst.current = false;
		scrollTo(0, 0);
	}, [current?.path, path.split("/")[2]]);
	return (
		<>
			<header class="top">
				<a class="skip" href={`#${path}`} onClick={(event) => skip(event, main.current)}>
					{texts.skip}
				</a>
				<a class="brand" href={`#${pages[0]?.path}`}>
					{texts.product}
				</a>
				<div class="who">
					<LiveMark />
					<Commands pages={allPages()} />
					{session.docs !== "" && <a href={session.docs}>Help</a>}
					<ThemeChoice />
					<span class="user">{session.user.value?.username}</span>
					{session.ways.way !== "none" && (
						<button type="button" class="quiet" onClick={() => void attempt(() => session.signOut(), "")}>
							{texts.signOut}
						</button>
					)}
				</div>
			</header>
			<div class="frame">
				<Navigation current={current} />
				<main ref={main} tabIndex={-1}>
					{children}
				</main>
			</div>
			<NoticeList />
		</>
	);
}

function Navigation({ current }: { readonly current: PageDefinition | undefined }) {
	const offered = allPages().filter(isOffered);
	const isCurrent = (page: PageDefinition) => current !== undefined && toSection(current.path) === toSection(page.path);
	const element = useRef<HTMLElement>(null);
	// On narrow screens only a part of the navigation is visible.
	useEffect(() => element.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [current]);
	return (
		<nav ref={element} class="main-nav" aria-label={texts.navigation}>
			{pageGroups.map((group) => {
				const own = offered.filter((page) => page.group === group);
				return own.length === 0 ? null : (
					<div key={group} class="nav-group">
						<span class="nav-title" id={`pages-${group}`}>
							{group}
						</span>
						<ul aria-labelledby={`pages-${group}`}>
							{own.map((page) => (
								<li key={page.path}>
									<a href={`#${page.path.replace(/\/:.*/, "")}`} aria-current={isCurrent(page) ? "page" : undefined}>
										{page.title}
									</a>
								</li>
							))}
						</ul>
					</div>
				);
			})}
		</nav>
	);
}

/** Returns the part of a path that all pages of one entry of the navigation have in common. */
function toSection(path: string): string | undefined {
	return path.startsWith("/features/") ? path : path.split("/")[1];
}

/** Shows the state of the live updates. */
function LiveMark() {
	const { value: state } = live.state;
	return (
		<span class={`live ${state}`} role="status">
			{texts.liveStates[state]}
		</span>
	);
}

/** Moves the focus to the main content. Following the link would change the address. */
function skip(event: Event, main: HTMLElement | null): void {
	event.preventDefault();
	main?.focus();
}

/** Shows the notices. Screen readers announce them. */
function NoticeList() {
	return (
		<div class="notices" role="status" aria-live="polite">
			{notices.list.value.map(({ id, kind, text }) => (
				<div key={id} class={`notice ${kind}`}>
					<span>{text}</span>
					<button type="button" class="quiet" aria-label={texts.dismiss} onClick={() => notices.dismiss(id)}>
						×
					</button>
				</div>
			))}
		</div>
	);
}
