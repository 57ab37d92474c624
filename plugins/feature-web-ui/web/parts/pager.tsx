import { addressBar } from "../kit/router.ts";
import { session } from "../kit/service.ts";
import * as texts from "../texts/frame.ts";

interface PagerProps {
	/** Number of records on a page, unless the user may request only fewer. */
	readonly size: number;
	/** Number of records that are shown now. */
	readonly shown: number;
	readonly total: number | undefined;
	readonly hasMore?: boolean | undefined;
}

/** Returns the limit and offset of the list request for the page in the address. */
export function toPaging(size: number): { readonly limit: number; readonly offset: number } {
	const limit = session.toLimit(size);
	return { limit, offset: (currentPage() - 1) * limit };
}

/** Shows links to the next and previous page of a list. The address contains the number of the page as `page`. */
export function Pager({ size, shown, total, hasMore = false }: PagerProps) {
	const page = currentPage();
	const { limit, offset } = toPaging(size);
	const first = offset + 1;
	const hasNext = total === undefined ? shown === limit : hasMore || first + shown <= total;
	return (
		<nav class="pager" aria-label={texts.pages}>
			<span class="faint number">
				{shown === 0 ? texts.noRows : texts.range(first, first + shown - 1)}
				{total !== undefined && texts.total(total, hasMore)}
			</span>
			<button type="button" disabled={page === 1} onClick={() => addressBar.change({ page: page === 2 ? undefined : page - 1 })}>
				{texts.previous}
			</button>
			<button type="button" disabled={!hasNext} onClick={() => addressBar.change({ page: page + 1 })}>
				{texts.next}
			</button>
		</nav>
	);
}

function currentPage(): number {
	const page = Number(addressBar.query("page"));
	return Number.isSafeInteger(page) && page > 0 ? page : 1;
}
