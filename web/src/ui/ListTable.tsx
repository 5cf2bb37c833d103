import { ErrorPanel } from "./Panels";
import { Table, type TableProps } from "./Table";

interface List<T> {
  rows: T[];
  onEnd: () => void;
  loading: boolean;
  error: unknown;
  refetch: () => unknown;
}

interface Props<T> extends Omit<TableProps<T>, "rows" | "onEnd" | "loading"> {
  list: List<T>;
  /** Those of the list that fit, where not all of them do. */
  rows?: T[];
}

/** A paged list as a table. One that could not be had is not an empty one: it says why. */
export function ListTable<T>({ list, rows = list.rows, ...rest }: Props<T>) {
  if (list.error) return <ErrorPanel error={list.error} retry={() => void list.refetch()} />;
  return <Table {...rest} rows={rows} onEnd={list.onEnd} loading={list.loading} />;
}
